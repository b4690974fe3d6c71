import SystemPackage
import Testing

@testable import FileWatching

/// Unmounted file systems, whose unmount the kernel may report much later.
@Suite struct MountTableTests {
    private let table = MountTable(
        bytes: Array(
            """
            21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
            36 21 0:30 / /mnt/a\\040b rw - tmpfs none rw
            37 21 0:31 / /elsewhere rw - tmpfs none rw

            """.utf8))

    /// Returns a route to a file in the mount with this number at `/mnt/a b`.
    private func route(inMount number: UInt64, root: UInt64 = 21) throws -> Route {
        var found = try #require(try FoundFile.at("/"))
        var route = Route()
        for (path, number) in [
            ("/", root), ("/mnt", root), ("/mnt/a b", number), ("/mnt/a b/file", number),
        ] {
            found.mount = MountIdentity(device: number, number: number)
            route.places.append(Route.Place(path: FilePath(path), found: found))
        }
        route.end = route.places.last
        return route
    }

    @Test func `a mount is gone when the table has none of its number at its place`() throws {
        #expect(!table.lacksEnd(of: try route(inMount: 36)))
        #expect(table.lacksEnd(of: try route(inMount: 3)))
        // Another mount has the number now.
        #expect(table.lacksEnd(of: try route(inMount: 37)))
    }

    @Test func `nothing is gone without a number, in the root's own mount, or without a table`()
        throws
    {
        #expect(!table.lacksEnd(of: try route(inMount: 0)))
        #expect(!table.lacksEnd(of: try route(inMount: 21)))
        #expect(!table.lacksEnd(of: try route(inMount: 3, root: 4)))
        #expect(!table.lacksEnd(of: Route()))
        #expect(!MountTable(bytes: nil).lacksEnd(of: try route(inMount: 3)))
    }

    @Test(arguments: ["/proc/self/status", "/etc/passwd", "/dev/null"])
    func `the mounts of this process are not gone`(path: String) throws {
        let route = try PathWalk.follow(FilePath(path), intoFolder: false) { _, _ in true }
        _ = try #require(route.end)
        #expect(!MountTable.current.lacksEnd(of: route))
    }

    @Test func `what vanished with its mount was unmounted, else removed`() throws {
        let old = try route(inMount: 36)
        #expect(old.changes(to: Route()) { _ in true } == .unmounted)
        #expect(old.changes(to: Route()) { _ in false } == .removed)
        #expect(old.changes(to: old) { _ in true } == [])
    }
}
