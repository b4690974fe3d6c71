import SystemPackage
import Testing

@testable import FileWatching

/// Mounts that are gone, of which the kernel may tell nothing for long.
@Suite struct MountTableTests {
    private let table = """
        21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
        36 21 0:30 / /mnt/a\\040b rw - tmpfs none rw

        """

    @Test func `a mount is gone when the table has no line of it`() {
        let table = MountTable(bytes: Array(table.utf8))
        #expect(!table.lacks(MountIdentity(device: 1, number: 36)))
        #expect(table.lacks(MountIdentity(device: 1, number: 3)))
    }

    @Test func `nothing is gone that has no number, or of which there is no table`() {
        let table = MountTable(bytes: Array(table.utf8))
        #expect(!table.lacks(MountIdentity(device: 1, number: 0)))
        #expect(!MountTable(bytes: nil).lacks(MountIdentity(device: 1, number: 3)))
    }

    @Test func `the way of this process is not gone`() throws {
        let root = try #require(try FoundFile.at("/"))
        #expect(root.mount.number != 0)
        #expect(!MountTable.current.lacks(root.mount))
    }

    @Test func `what vanished with its mount was unmounted, else removed`() throws {
        var old = Route()
        old.end = Route.Place(path: "/", found: try #require(try FoundFile.at("/")))
        #expect(old.changes(to: Route()) { _ in true } == .unmounted)
        #expect(old.changes(to: Route()) { _ in false } == .removed)
        #expect(old.changes(to: old) { _ in true } == [])
    }
}
