import Glibc
internal import SystemPackage

/// Walk along a path. It resolves each name and each symbolic link in the same way as the kernel.
struct PathWalk {
    /// Maximum number of symbolic links to follow, which is the kernel's own limit (see path_resolution(7)).
    static let maximumLinkCount = 40

    /// Closure that is called with each directory before the walk looks up a name in the directory.
    ///
    /// The closure can add a watch before the lookup, so that no later change is missed.
    ///
    /// The argument `containsEnd` states whether the directory contains the end of the path. The closure returns
    /// `false` if the directory no longer exists.
    typealias EnterHandler = (FilePath, _ containsEnd: Bool) throws(FileWatchError) -> Bool

    private var route = ResolvedRoute()
    private var currentDirectory: FilePath = "/"
    /// Names that have not been resolved yet, in reverse order.
    private var pendingNames: [FilePath.Component]
    private var followedLinkCount = 0
    private let endsInDirectory: Bool

    /// Follows an absolute path to a file, or into a directory.
    ///
    /// The route has no end if the path leads to no file, for example because of a loop of symbolic links.
    static func follow(
        _ path: FilePath, intoDirectory: Bool, entering enter: EnterHandler
    ) throws(FileWatchError) -> ResolvedRoute {
        var walk = PathWalk(
            pendingNames: path.components.reversed(), endsInDirectory: intoDirectory)
        if let root = try PathEntry.lookUp("/") {
            walk.route.nodes.append(ResolvedRoute.Node(path: "/", entry: root))
        }
        while let name = walk.pendingNames.popLast() {
            guard try walk.resolve(component: name, enter) else { return walk.route }
        }
        if intoDirectory, try !enter(walk.currentDirectory, true) { return walk.route }
        walk.route.endNode = walk.route.nodes.last { $0.path == walk.currentDirectory }
        return walk.route
    }

    /// Looks up a name, and returns `false` if the walk ends at this name.
    private mutating func resolve(
        component name: FilePath.Component, _ enter: EnterHandler
    ) throws(FileWatchError) -> Bool {
        switch name.kind {
        case .currentDirectory: return true
        case .parentDirectory:
            currentDirectory.removeLastComponent()
            return true
        case .regular: break
        }
        let isLastComponent = pendingNames.isEmpty && !endsInDirectory
        guard try enter(currentDirectory, isLastComponent) else { return false }
        let path = currentDirectory.appending(name)
        let entry = try PathEntry.lookUp(path)
        switch entry?.kind {
        case .link:
            appendStep(name, .link)
            return try followLink(path)
        case .directory where !isLastComponent:
            appendStep(name, .directory)
            currentDirectory = path
            if let entry { route.nodes.append(ResolvedRoute.Node(path: path, entry: entry)) }
            return true
        default:
            appendStep(name, isLastComponent ? .end : .deadEnd)
            if isLastComponent, let entry {
                let node = ResolvedRoute.Node(path: path, entry: entry)
                route.nodes.append(node)
                route.endNode = node
            }
            return false
        }
    }

    private mutating func appendStep(_ name: FilePath.Component, _ kind: ResolvedRoute.Step.Kind) {
        route.steps.append(ResolvedRoute.Step(directory: currentDirectory, name: name, kind: kind))
    }

    /// Continues the walk at the destination of a link.
    ///
    /// - Returns: `false` if the path is no longer a link or too many links have been followed.
    private mutating func followLink(_ path: FilePath) throws(FileWatchError) -> Bool {
        followedLinkCount += 1
        guard followedLinkCount <= Self.maximumLinkCount,
            let destination = try Self.destination(of: path)
        else {
            return false
        }
        if destination.isAbsolute { currentDirectory = "/" }
        pendingNames.append(contentsOf: destination.components.reversed())
        return true
    }

    /// Returns the destination of a symbolic link, or `nil` if the path is no longer a link.
    private static func destination(of path: FilePath) throws(FileWatchError) -> FilePath? {
        var bytes = [CInterop.PlatformChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = path.withPlatformString { readlink($0, &bytes, Int(PATH_MAX)) }
        if count >= 0 { return FilePath(platformString: bytes) }
        let reason = Errno(rawValue: errno)
        switch reason {
        case .noSuchFileOrDirectory, .notDirectory, .invalidArgument: return nil
        default: throw FileWatchError(.examine, path, reason)
        }
    }
}
