import Glibc
import TestSupport
import Testing

@testable import Varlink
@testable import VarlinkServing

struct ListeningSocketTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    @Test(arguments: [0o600, 0o660] as [mode_t])
    func `the socket has the requested permissions`(mode: mode_t) throws {
        let socket = try ListeningSocket(path: directory.file("s"), mode: mode)
        defer { close(socket.descriptor) }
        let status = try #require(directory.status("s"))
        #expect(status.st_mode == S_IFSOCK | mode)
    }

    @Test
    func `a path of 107 bytes is accepted, and a path of 108 bytes is refused with the limit`()
        throws
    {
        let name = String(repeating: "n", count: 107 - directory.path.utf8.count - 1)
        let socket = try ListeningSocket(path: directory.file(name), mode: 0o600)
        close(socket.descriptor)
        let long = directory.file(name + "n")
        let error = try #require(throws: ListenError.self) {
            try ListeningSocket(path: long, mode: 0o600)
        }
        #expect(error == .badPathLength(path: long))
        #expect(error.description.contains("108 bytes"))
        #expect(error.description.contains("107"))
        #expect(error.description.contains(long))
    }

    @Test func `an empty path is refused`() {
        #expect(throws: ListenError.badPathLength(path: "")) {
            try ListeningSocket(path: "", mode: 0o600)
        }
    }

    @Test func `a socket on which another daemon listens is not replaced`() throws {
        let path = directory.file("s")
        let first = try ListeningSocket(path: path, mode: 0o600)
        defer { close(first.descriptor) }
        let inode = directory.status("s")?.st_ino
        #expect(throws: ListenError.inUse(path: path)) {
            try ListeningSocket(path: path, mode: 0o600)
        }
        #expect(directory.status("s")?.st_ino == inode)
        #expect(throws: Never.self) { try RawSocket(path) }
    }

    @Test func `a stale socket is replaced`() throws {
        let path = directory.file("s")
        close(try ListeningSocket(path: path, mode: 0o600).descriptor)
        let second = try ListeningSocket(path: path, mode: 0o600)
        defer { close(second.descriptor) }
        #expect(throws: Never.self) { try RawSocket(path) }
    }

    @Test func `a file at the path that is not a socket is left untouched`() throws {
        let path = directory.file("s")
        close(creat(path, 0o644))
        let inode = directory.status("s")?.st_ino
        #expect(throws: ListenError.notASocket(path: path)) {
            try ListeningSocket(path: path, mode: 0o600)
        }
        #expect(directory.status("s")?.st_ino == inode)
        let link = directory.file("link")
        symlink(directory.file("nothing"), link)
        #expect(throws: ListenError.notASocket(path: link)) {
            try ListeningSocket(path: link, mode: 0o600)
        }
    }

    @Test func `the error for a missing directory contains the path`() throws {
        let path = directory.file("none/s")
        let error = try #require(throws: ListenError.self) {
            try ListeningSocket(path: path, mode: 0o600)
        }
        #expect(error == .system(SocketError(call: "bind", errno: ENOENT), path: path))
        #expect(error.description.contains(path))
    }

    @Test func `only a listening Unix stream socket can be inherited`() throws {
        var pair: [CInt] = [0, 0]
        #expect(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0)
        defer { pair.forEach { close($0) } }
        for descriptor in [pair[0], -1, 0] {
            #expect(throws: ListenError.notListening(descriptor: descriptor)) {
                try ListeningSocket(inherited: descriptor)
            }
        }
        let bound = try ListeningSocket(path: directory.file("s"), mode: 0o600)
        defer { close(bound.descriptor) }
        let inherited = try ListeningSocket(inherited: bound.descriptor)
        #expect(inherited.isReachable && inherited.removeFile() == nil)
        #expect(directory.status("s") != nil)
    }

    @Test func `a socket of another family or type cannot be inherited`() throws {
        let packets = socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0)
        let internet = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer {
            close(packets)
            close(internet)
        }
        try #require(UnixAddress.bindSocket(packets, to: directory.file("packets")) == 0)
        // Without an address, the system chooses a port.
        for descriptor in [packets, internet] {
            try #require(listen(descriptor, 1) == 0)
            #expect(throws: ListenError.notListening(descriptor: descriptor)) {
                try ListeningSocket(inherited: descriptor)
            }
        }
    }

    @Test func `an inherited socket without a file is unreachable`() throws {
        let path = directory.file("s")
        let bound = try ListeningSocket(path: path, mode: 0o600)
        defer { close(bound.descriptor) }
        unlink(path)
        let inherited = try ListeningSocket(inherited: bound.descriptor)
        #expect(!inherited.isReachable)
    }

    @Test func `a socket is unreachable after its directory is moved or replaced by a file`() throws
    {
        try directory.write("d/other", "")
        let bound = try ListeningSocket(path: directory.file("d/s"), mode: 0o600)
        defer { close(bound.descriptor) }
        #expect(bound.isReachable)
        try directory.move("d", to: "e")
        #expect(!bound.isReachable)
        try directory.write("d", "")
        #expect(!bound.isReachable)
    }

    @Test func `a socket counts as reachable if its path cannot be examined`() throws {
        try directory.write("d/other", "")
        let bound = try ListeningSocket(path: directory.file("d/s"), mode: 0o600)
        defer { close(bound.descriptor) }
        // The path now leads to a symbolic link to itself.
        try directory.move("d", to: "e")
        try #require(symlink(directory.file("d"), directory.file("d")) == 0)
        let inherited = try ListeningSocket(inherited: bound.descriptor)
        #expect(bound.isReachable && inherited.isReachable)
        try #require(unlink(directory.file("d")) == 0)
        try directory.move("e", to: "d")
        #expect(bound.isReachable && inherited.isReachable)
    }

    @Test func `a socket is unreachable after its file is removed or replaced`() throws {
        let path = directory.file("s")
        let bound = try ListeningSocket(path: path, mode: 0o600)
        defer { close(bound.descriptor) }
        unlink(path)
        #expect(!bound.isReachable)
        let second = try ListeningSocket(path: path, mode: 0o600)
        defer { close(second.descriptor) }
        #expect(!bound.isReachable && second.isReachable && second.replaces(bound))
        #expect(bound.removeFile() == nil && second.isReachable)
    }

    @Test
    func `an inherited socket is unreachable if a killed process left another one at its path`()
        throws
    {
        let path = directory.file("s")
        let inherited = try ListeningSocket(path: path, mode: 0o600)
        unlink(path)
        let killed = try ListeningSocket(path: path, mode: 0o600)
        #expect(try ListeningSocket(inherited: inherited.descriptor).isReachable)
        close(killed.descriptor)
        #expect(try !ListeningSocket(inherited: inherited.descriptor).isReachable)
        let recreated = try ListeningSocket(path: path, mode: 0o600)
        defer { close(recreated.descriptor) }
        #expect(recreated.isReachable)
        close(inherited.descriptor)
    }
}
