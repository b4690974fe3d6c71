import Glibc
import LinuxIO
import TestSupport
import Testing
import Varlink
import VarlinkServing

@testable import Reprise

@Suite struct FailedStartServerTests {
    private func makeSocket() -> CInt { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) }

    @Test func `a failed start answers clients that wait on any of the passed sockets`()
        async throws
    {
        let scratch = try ScratchDirectory()
        let paths = ["first", "second"].map { scratch.file($0) }
        let listeners = paths.map { path in
            let listener = makeSocket()
            #expect(UnixAddress.bindSocket(listener, to: path) == 0 && listen(listener, 8) == 0)
            return listener
        }
        let client = makeSocket()
        defer { close(client) }
        try #require(UnixAddress.connectSocket(client, to: paths[1]) == 0)
        let call = Array(#"{"method":"org.reprise.Control.Status"}"#.utf8) + [0]
        try #require(write(client, call, call.count) == call.count)
        try await FailedStartServer(.reprised, listeners, because: DaemonError(arguments: "wrong"))
            .replyToClients()
        var reply = [UInt8](repeating: 0, count: 4096)
        let count = read(client, &reply, reply.count)
        let text = String(decoding: reply.prefix(max(0, count)), as: UTF8.self)
        #expect(text.contains("ConfigurationRefused") && text.contains("wrong"), "\(text)")
    }

    @Test(arguments: [false, true])
    func
        `without a waiting client, replies are offered only if the manager starts the daemon again`(
            isStartedAgain: Bool
        ) async throws
    {
        let scratch = try ScratchDirectory()
        let listener = makeSocket()
        #expect(UnixAddress.bindSocket(listener, to: scratch.file("socket")) == 0)
        #expect(listen(listener, 8) == 0)
        let file = try OpenFile(listener)
        let error =
            isStartedAgain
            ? DaemonError(LocationError.noControlSocket) : DaemonError(arguments: "wrong")
        try await FailedStartServer(.reprised, [listener], because: error).replyToClients()
        // A server closes its sockets when it stops.
        #expect(file.isOpen(at: listener) != isStartedAgain)
        if file.isOpen(at: listener) { close(listener) }
    }

    @Test func `a passed descriptor that is not a listening socket ends the server with an error`()
        async
    {
        // Only a separate process has no other event loops.
        await #expect(processExitsWith: .success) {
            let scratch = try ScratchDirectory()
            let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            #expect(UnixAddress.bindSocket(listener, to: scratch.file("socket")) == 0)
            #expect(listen(listener, 8) == 0)
            let file = try OpenFile(listener)
            let descriptor = open("/dev/null", O_RDONLY)
            let server = FailedStartServer(
                .reprised, [listener, descriptor],
                because: DaemonError(LocationError.noControlSocket))
            await #expect(throws: ListenError.notListening(descriptor: descriptor)) {
                try await server.replyToClients()
            }
            #expect(!file.isOpen(at: listener))
            let threads = try #require(try Directory.open("/proc/self/task"))
            try await waitUntil("the thread of the event loop has ended") {
                try threads.names().allSatisfy { name in
                    // A thread that has just ended has no name.
                    let bytes = try? threads.openSubdirectory(name)?.read("comm", limit: 4096)
                    return !(bytes ?? []).starts(with: "NIO-ELT".utf8)
                }
            }
        }
    }
}
