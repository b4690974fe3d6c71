import Glibc
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

@Suite(.timeLimit(.minutes(10))) struct ClientSocketTests {
    @Test func `a call fails with the system's error if the client cannot wait for the reply`()
        async
    {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                    == 0)
            let client = VarlinkClient(connected: ends[0], to: "peer", timeout: .seconds(5))
            // poll(2) refuses more descriptors than the process may open.
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var originalBytes = rlimit()
            try #require(getrlimit(resource, &originalBytes) == 0)
            var none = rlimit(rlim_cur: 0, rlim_max: originalBytes.rlim_max)
            try #require(setrlimit(resource, &none) == 0)
            let error = SocketError(call: "poll", errno: EINVAL)
            #expect(throws: ClientError.system(error, path: "peer")) { try client.call("a.b.C") }
            try #require(setrlimit(resource, &originalBytes) == 0)
        }
    }

    @Test func `a socket whose state is unknown does not count as closed`() async {
        await #expect(processExitsWith: .success) {
            var ends: [CInt] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                    == 0)
            let client = VarlinkClient(connected: ends[0], to: "peer", timeout: .seconds(5))
            // poll(2) refuses more descriptors than the process may open.
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limits = rlimit()
            try #require(getrlimit(resource, &limits) == 0)
            var none = rlimit(rlim_cur: 0, rlim_max: limits.rlim_max)
            try #require(setrlimit(resource, &none) == 0)
            let isClosed = client.isClosed
            try #require(setrlimit(resource, &limits) == 0)
            #expect(!isClosed)
        }
    }

    @Test func `the timeout for connecting does not apply to later writes`() throws {
        let directory = try ScratchDirectory()
        let path = directory.file("s")
        let listening = try ListeningSocket(path: path, mode: 0o600)
        defer { close(listening.descriptor) }
        let client = try ClientSocket(
            path: path, deadline: .now + .seconds(60), timeout: .seconds(60))
        var time = timeval(tv_sec: 1, tv_usec: 1)
        var size = socklen_t(MemoryLayout<timeval>.size)
        let result = getsockopt(client.descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, &size)
        #expect(result == 0 && time.tv_sec == 0 && time.tv_usec == 0)
        let isReadable = client.isReadable
        #expect(!isReadable)
    }

    @Test func `sockets and event loops can use descriptor 0`() async {
        await #expect(processExitsWith: .success) {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let directory = try ScratchDirectory()
            let path = directory.file("s")
            close(0)
            let listening = try ListeningSocket(path: path, mode: 0o600)
            #expect(listening.descriptor == 0)
            // The copy of the descriptor keeps the socket open.
            let copy = dup(listening.descriptor)
            try #require(copy > 0)
            close(0)
            do {
                let client = try ClientSocket(
                    path: path, deadline: .now + .seconds(60), timeout: .seconds(60))
                let descriptor = client.descriptor
                #expect(descriptor == 0)
            }
            let yielder = EventLoopYielder(on: group.next())
            try await yielder.open()
            await yielder.yield()
            yielder.close()
            try await group.shutdownGracefully()
            close(copy)
        }
    }
}
