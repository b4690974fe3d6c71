import SystemPackage
import Testing

@testable import FileWatching

/// Changes between two routes to the same target.
@Suite struct ResolvedRouteTests {
    private func route(
        _ nodes: [(path: FilePath, inode: UInt64, mount: UInt64)]
    ) throws -> ResolvedRoute {
        var entry = try #require(try PathEntry.lookUp("/"))
        var route = ResolvedRoute()
        for node in nodes {
            entry.identity.inode = node.inode
            entry.mountIdentity = MountIdentity(device: node.mount, mountID: node.mount)
            route.nodes.append(ResolvedRoute.Node(path: node.path, entry: entry))
        }
        route.endNode = route.nodes.last
        return route
    }

    @Test func `a file is hidden by a mount only if the mount is on the path of the file`() throws {
        let old = try route([("/", 1, 1), ("/a", 2, 1), ("/a/file", 3, 1)])
        let mounted = try route([("/", 1, 1), ("/a", 4, 2), ("/a/file", 5, 2)])
        #expect(old.changes(to: mounted) { _ in false } == [.unmounted, .created])
        let elsewhere = try route([("/", 1, 1), ("/b", 4, 2), ("/b/file", 5, 2)])
        #expect(old.changes(to: elsewhere) { _ in false } == .replaced)
        let replaced = try route([("/", 1, 1), ("/a", 4, 1), ("/a/file", 5, 1)])
        #expect(old.changes(to: replaced) { _ in false } == .replaced)
    }
}
