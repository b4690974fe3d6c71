import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Creates descriptors from 3 on, as a socket unit passes them, and announces them in the environment.
private func pass(_ types: [__socket_type?], names: String?) throws {
    for (index, type) in types.enumerated() {
        let descriptor =
            switch type {
            case .some(let type): socket(AF_UNIX, CInt(type.rawValue), 0)
            case .none: open("/dev/null", O_RDONLY)
            }
        try #require(descriptor >= 0)
        if type == SOCK_STREAM {
            // If no name is given to bind(2), the kernel chooses an abstract name.
            var address = sockaddr(
                sa_family: sa_family_t(AF_UNIX),
                sa_data: (
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
                ))
            try #require(bind(descriptor, &address, 2) == 0)
            try #require(listen(descriptor, 1) == 0)
        }
        try #require(dup2(descriptor, 3 + CInt(index)) >= 0)
    }
    setenv("LISTEN_PID", "\(getpid())", 1)
    setenv("LISTEN_FDS", "\(types.count)", 1)
    if let names { setenv("LISTEN_FDNAMES", names, 1) } else { unsetenv("LISTEN_FDNAMES") }
}

/// Descriptors are passed at fixed numbers, so each test runs in its own process.
@Suite struct ListenSocketsTests {
    @Test func `without a socket unit there are no sockets`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LISTEN_FDS")
            var sockets = try ListenSockets()
            #expect(sockets.names == [])
            try #expect(sockets.consumeListeners(named: "varlink") == [])
        }
    }

    @Test func `all sockets of a name are consumed at once`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM, SOCK_STREAM, SOCK_STREAM], names: "varlink:other:varlink")
            var sockets = try ListenSockets()
            #expect(sockets.names == ["varlink", "other", "varlink"])
            try #expect(sockets.consumeListeners(named: "varlink") == [3, 5])
            #expect(sockets.names == ["other"])
            try #expect(sockets.consumeListeners(named: "varlink") == [])
        }
    }

    @Test func `listening sockets are consumed regardless of name, and other sockets are left`()
        async
    {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM, SOCK_DGRAM, SOCK_STREAM], names: "a:b:c")
            var sockets = try ListenSockets()
            #expect(sockets.consumeListeners() == [3, 5])
            #expect(sockets.names == ["b"])
            #expect(sockets.consumeListeners() == [])
        }
    }

    @Test func `a socket without a name gets the name unknown`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM], names: nil)
            let sockets = try ListenSockets()
            #expect(sockets.names == ["unknown"])
        }
    }

    @Test func `consumed sockets are close-on-exec, and their environment variables are unset`()
        async
    {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM], names: "varlink")
            var sockets = try ListenSockets()
            #expect(
                fcntl(try sockets.consumeListeners(named: "varlink")[0], F_GETFD) & FD_CLOEXEC != 0)
            #expect(getenv("LISTEN_FDS") == nil)
            #expect(getenv("LISTEN_PID") == nil)
            #expect(getenv("LISTEN_FDNAMES") == nil)
        }
    }

    @Test func `unconsumed sockets are closed, and consumed sockets stay open`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM, SOCK_STREAM], names: "varlink:other")
            let files = try [OpenFile(3), OpenFile(4)]
            do {
                var sockets = try ListenSockets()
                _ = try sockets.consumeListeners(named: "varlink")
            }
            #expect(files[0].isOpen(at: 3))
            #expect(!files[1].isOpen(at: 4))
        }
    }

    @Test func `every unconsumed socket is closed, but a file is left open`() async {
        await #expect(processExitsWith: .success) {
            try pass([nil, SOCK_DGRAM, SOCK_STREAM], names: "a:b:c")
            let files = try [OpenFile(3), OpenFile(4), OpenFile(5)]
            do { _ = try ListenSockets() }
            #expect(files[0].isOpen(at: 3))
            #expect(!files[1].isOpen(at: 4))
            #expect(!files[2].isOpen(at: 5))
        }
    }

    @Test func `a descriptor that was closed in the meantime is refused with its error`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM], names: "varlink")
            var sockets = try ListenSockets()
            // No other thread can open a file with the number 3 or above.
            var limit = rlimit(rlim_cur: 3, rlim_max: 3)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            close(3)
            #expect(throws: SystemdError(operation: .useListener(name: "varlink"), errno: EBADF)) {
                try sockets.consumeListeners(named: "varlink")
            }
        }
    }

    @Test func `a datagram socket with the expected name is refused`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM, SOCK_DGRAM], names: "varlink:varlink")
            var sockets = try ListenSockets()
            #expect(
                throws: SystemdError(operation: .useListener(name: "varlink"), errno: EPROTOTYPE)
            ) {
                try sockets.consumeListeners(named: "varlink")
            }
            #expect(sockets.names == ["varlink", "varlink"])
        }
    }

    @Test func `a file with the expected name is refused`() async {
        await #expect(processExitsWith: .success) {
            try pass([nil], names: "varlink")
            var sockets = try ListenSockets()
            #expect(
                throws: SystemdError(operation: .useListener(name: "varlink"), errno: ENOTSOCK)
            ) {
                try sockets.consumeListeners(named: "varlink")
            }
        }
    }

    @Test func `sockets passed to another process are ignored`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM], names: "varlink")
            setenv("LISTEN_PID", "\(getppid())", 1)
            let sockets = try ListenSockets()
            #expect(sockets.names == [])
        }
    }

    @Test func `a malformed LISTEN_FDS is a failure`() async {
        await #expect(processExitsWith: .success) {
            try pass([SOCK_STREAM], names: "varlink")
            setenv("LISTEN_FDS", "many", 1)
            #expect(throws: SystemdError(operation: .adoptSockets, errno: EINVAL)) {
                _ = try ListenSockets()
            }
        }
    }
}
