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
    private func route(inMount number: UInt64, root: UInt64 = 21) throws -> ResolvedRoute {
        var entry = try #require(try PathEntry.lookUp("/"))
        var route = ResolvedRoute()
        for (path, mountID) in [
            ("/", root), ("/mnt", root), ("/mnt/a b", number), ("/mnt/a b/file", number),
        ] {
            entry.mountIdentity = MountIdentity(device: mountID, mountID: mountID)
            route.nodes.append(ResolvedRoute.Node(path: FilePath(path), entry: entry))
        }
        route.endNode = route.nodes.last
        return route
    }

    @Test func `a mount is gone if the table has no mount with its number at its path`() throws {
        #expect(!table.isEndUnmounted(of: try route(inMount: 36)))
        #expect(table.isEndUnmounted(of: try route(inMount: 3)))
        // Another mount has the number now.
        #expect(table.isEndUnmounted(of: try route(inMount: 37)))
    }

    @Test func `a mount is not gone without a number or a table, or if it is the root mount`()
        throws
    {
        #expect(!table.isEndUnmounted(of: try route(inMount: 0)))
        #expect(!table.isEndUnmounted(of: try route(inMount: 21)))
        #expect(!table.isEndUnmounted(of: try route(inMount: 3, root: 4)))
        #expect(!table.isEndUnmounted(of: ResolvedRoute()))
        #expect(!MountTable(bytes: nil).isEndUnmounted(of: try route(inMount: 3)))
    }

    @Test(arguments: ["/proc/self/status", "/etc/passwd", "/dev/null"])
    func `current mounts of this process are not reported as gone`(path: String) throws {
        let route = try PathWalk.follow(FilePath(path), intoDirectory: false) { _, _ in true }
        _ = try #require(route.endNode)
        #expect(!MountTable.current.isEndUnmounted(of: route))
    }

    @Test func `a file that disappears with its mount is unmounted, otherwise it is removed`()
        throws
    {
        let old = try route(inMount: 36)
        #expect(old.changes(to: ResolvedRoute()) { _ in true } == .unmounted)
        #expect(old.changes(to: ResolvedRoute()) { _ in false } == .removed)
        #expect(old.changes(to: old) { _ in true } == [])
    }

    @Test func `lines without a mount point are skipped, and digits in a path are not decoded`()
        throws
    {
        let text = """
            21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
            35 21 0:29 /
            36 21 0:30 / /mnt/x101 rw - tmpfs none rw

            """
        let table = MountTable(bytes: Array(text.utf8))
        #expect(table.isEndUnmounted(of: try route(inMount: 35)))
        var ownRoute = try route(inMount: 36)
        #expect(table.isEndUnmounted(of: ownRoute))
        for index in ownRoute.nodes.indices.suffix(2) { ownRoute.nodes[index].path = "/mnt/x101" }
        #expect(!table.isEndUnmounted(of: ownRoute))
    }
}
