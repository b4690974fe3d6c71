import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import VarlinkServing

@Suite(.timeLimit(.minutes(10))) struct ClientDisconnectionCheckTests {
    /// Runs a body on the event loop of a connected channel. The event loop does not notice any events meanwhile.
    ///
    /// The arguments of the body are the channel and the descriptor of the client, which the body closes.
    private func withChannel<Result: Sendable>(
        _ body: @escaping @Sendable (any Channel, CInt) throws -> Result
    ) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var ends: [CInt] = [-1, -1]
        try #require(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let client = ends[1]
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .withConnectedSocket(ends[0]).get()
        let result = try await channel.eventLoop.submit { try body(channel, client) }.get()
        channel.close(promise: nil)
        try await channel.closeFuture.get()
        try await group.shutdownGracefully()
        return result
    }

    @Test func `a client is present until it closes its socket`() async throws {
        let hasDisconnected = try await withChannel { channel, client in
            let before = ClientDisconnectionCheck(on: channel)
            before.storeDescriptor()
            let results = [before.hasDisconnected, before.hasDisconnected]
            close(client)
            // The earlier result is valid for some time.
            let after = ClientDisconnectionCheck(on: channel)
            after.storeDescriptor()
            return results + [after.hasDisconnected, after.hasDisconnected]
        }
        #expect(hasDisconnected == [false, false, true, true])
    }

    @Test func `a client that has only ended its input is present`() async throws {
        let hasDisconnected = try await withChannel { channel, client in
            shutdown(client, CInt(SHUT_WR))
            defer { close(client) }
            let presence = ClientDisconnectionCheck(on: channel)
            presence.storeDescriptor()
            return presence.hasDisconnected
        }
        #expect(!hasDisconnected)
    }

    @Test func `the client of a closed channel is absent, even if its descriptor is unknown`()
        async throws
    {
        let hasDisconnected = try await withChannel { channel, client in
            let before = ClientDisconnectionCheck(on: channel).hasDisconnected
            close(client)
            channel.close(promise: nil)
            return [before, ClientDisconnectionCheck(on: channel).hasDisconnected]
        }
        #expect(hasDisconnected == [false, true])
    }
}
