import Glibc
import TestSupport
import Testing

@testable import Varlink

struct UnixAddressTests {
    @Test(arguments: [
        ("s", true), ("", false), (String(repeating: "x", count: 107), true),
        (String(repeating: "x", count: 108), false), ("a\0b", false),
    ])
    func `a path has 1 to 107 bytes and contains no NUL`(path: String, fits: Bool) {
        #expect(UnixAddress.isValidPath(path) == fits)
    }

    @Test func `only a Unix socket that is bound to a file has a path`() throws {
        let directory = try ScratchDirectory()
        let path = directory.file("s")
        let bound = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        let internet = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer {
            close(bound)
            close(internet)
        }
        #expect(UnixAddress.path(of: bound) == nil)
        try #require(UnixAddress.bindSocket(bound, to: path) == 0)
        #expect(UnixAddress.path(of: bound) == path)
        // The bytes of this address begin with the bytes of the port.
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(internet, $0, size) }
        }
        try #require(result == 0)
        #expect(UnixAddress.path(of: internet) == nil)
        #expect(UnixAddress.path(of: -1) == nil)
    }
}
