import Glibc
import TestSupport
import Testing

@testable import Reprise

/// Descriptors are passed at fixed numbers, so each test has a process of its own.
@Suite struct PassedSocketsTests {
    /// Passes listening sockets with these names, from the descriptor 3 on, as a service manager does.
    private static func pass(_ names: [String]) throws {
        for index in names.indices {
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr()
            address.sa_family = sa_family_t(AF_UNIX)
            // The kernel chooses an abstract name.
            try #require(bind(descriptor, &address, 2) == 0 && listen(descriptor, 1) == 0)
            try #require(dup2(descriptor, 3 + CInt(index)) >= 0)
        }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "\(names.count)", 1)
        setenv("LISTEN_FDNAMES", names.joined(separator: ":"), 1)
    }

    @Test func `each socket is consumed once, and control sockets are separate from the others`()
        async
    {
        await #expect(processExitsWith: .success) {
            try Self.pass(["varlink", "other", "varlink", "another"])
            let sockets = try PassedSockets()
            #expect(sockets.otherSocketNames == ["other", "another"])
            for _ in 0..<2 { #expect(try sockets.controlListeners() == [3, 5]) }
            #expect(sockets.consumeControlListeners() == [3, 5])
            #expect(sockets.consumeControlListeners() == [])
            #expect(throws: ControlSocketsError.noControlSocket(names: ["other", "another"])) {
                try sockets.controlListeners()
            }
            #expect(sockets.consumeAllListeners() == [4, 6])
            #expect(sockets.consumeAllListeners() == [])
            #expect(try sockets.controlListeners() == [])
        }
    }

    @Test func `sockets that nobody consumed are closed`() async {
        await #expect(processExitsWith: .success) {
            try Self.pass(["varlink", "other"])
            let files = try [OpenFile(3), OpenFile(4)]
            do {
                let sockets = try PassedSockets()
                #expect(sockets.consumeControlListeners() == [3])
            }
            #expect(files[0].isOpen(at: 3))
            #expect(!files[1].isOpen(at: 4))
        }
    }

    @Test func `all sockets are closed if nobody consumes any of them`() async {
        await #expect(processExitsWith: .success) {
            try Self.pass(["varlink", "other", "another"])
            let files = try (3...5).map { try OpenFile($0) }
            do {
                let sockets = try PassedSockets()
                #expect(sockets.otherSocketNames == ["other", "another"])
            }
            for (file, descriptor) in zip(files, CInt(3)...5) {
                #expect(!file.isOpen(at: descriptor))
            }
        }
    }
}
