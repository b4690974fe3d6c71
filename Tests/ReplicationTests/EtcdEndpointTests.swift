import Replication
import Testing

#if Etcd
    import NIOCore
    import NIOPosix
#endif

struct EtcdEndpointTests {
    @Test(arguments: [
        ("http://10.0.0.1:2379", "http://10.0.0.1:2379"), ("http://one/", "http://one:2379"),
        ("https://one.example.org:1", "https://one.example.org:1"),
        ("http://[fd00::1]:2380", "http://[fd00::1]:2380"), ("http://[::1]", "http://[::1]:2379"),
    ])
    func `an address of a server is read`(text: String, meaning: String) {
        #expect(EtcdEndpoint(text)?.description == meaning)
    }

    @Test(arguments: [
        "", "10.0.0.1:2379", "ftp://one:1", "http://", "http://:2379", "http://one:0",
        "http://one:65536", "http://one:x", "http://a b", "http://one/v3", "http://[::1",
        "http://[::1]x", "http://::1",
    ])
    func `what is none is refused`(text: String) {
        #expect(EtcdEndpoint(text) == nil)
    }

    #if Etcd
        @Test func `why a server is not reached is told in plain words`() async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let endpoint = try #require(EtcdEndpoint("http://127.0.0.1:1"))
            let client = try EtcdClient([endpoint], within: .seconds(300), on: group.next())
            await #expect(
                throws: EtcdError.unreachable(
                    endpoint: "http://127.0.0.1:1", reason: "Connection refused")
            ) {
                try await client.range(EtcdRange("a"))
            }
            await client.close()
            try await group.shutdownGracefully()
        }
    #endif
}
