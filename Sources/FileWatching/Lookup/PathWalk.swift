import Glibc
internal import SystemPackage

/// Walk along a path, name by name and link by link, as the kernel resolves it.
struct PathWalk {
    /// Maximum number of symbolic links that are followed. This is the kernel's own limit, see path_resolution(7).
    static let maximumLinks = 40

    /// Closure that is called with each directory before a name is looked up in it, so that no later change is missed.
    /// The flag indicates whether the directory contains the end of the path. Returns `false` if the directory no
    /// longer exists.
    typealias Enter = (FilePath, _ holdsEnd: Bool) throws(FileWatchError) -> Bool

    private var route = Route()
    private var folder: FilePath = "/"
    /// Remaining names, in reverse order.
    private var pending: [FilePath.Component]
    private var linkCount = 0
    private let endsInFolder: Bool

    /// Follows an absolute path to a file, or into a directory. If the path leads to no file, for example because of
    /// a loop of links, the route has no end.
    static func follow(
        _ path: FilePath, intoFolder: Bool, entering enter: Enter
    ) throws(FileWatchError) -> Route {
        var walk = PathWalk(pending: path.components.reversed(), endsInFolder: intoFolder)
        if let root = try FoundFile.at("/") {
            walk.route.places.append(Route.Place(path: "/", found: root))
        }
        while let name = walk.pending.popLast() {
            guard try walk.resolve(up: name, enter) else { return walk.route }
        }
        if intoFolder, try !enter(walk.folder, true) { return walk.route }
        walk.route.end = walk.route.places.last { $0.path == walk.folder }
        return walk.route
    }

    /// Looks up the next name. Returns `false` when the walk has ended.
    private mutating func resolve(
        up name: FilePath.Component, _ enter: Enter
    ) throws(FileWatchError) -> Bool {
        switch name.kind {
        case .currentDirectory: return true
        case .parentDirectory:
            folder.removeLastComponent()
            return true
        case .regular: break
        }
        let isEnd = pending.isEmpty && !endsInFolder
        guard try enter(folder, isEnd) else { return false }
        let path = folder.appending(name)
        let found = try FoundFile.at(path)
        switch found?.kind {
        case .link:
            appendStep(name, .link)
            return try followLink(path)
        case .folder where !isEnd:
            appendStep(name, .folder)
            folder = path
            if let found { route.places.append(Route.Place(path: path, found: found)) }
            return true
        default:
            appendStep(name, isEnd ? .end : .block)
            if isEnd, let found {
                let place = Route.Place(path: path, found: found)
                route.places.append(place)
                route.end = place
            }
            return false
        }
    }

    private mutating func appendStep(_ name: FilePath.Component, _ kind: Route.Step.Kind) {
        route.steps.append(Route.Step(folder: folder, name: name, kind: kind))
    }

    /// Replaces the name of a link with its destination. Returns `false` if the link has no destination, or if too
    /// many links were followed.
    private mutating func followLink(_ path: FilePath) throws(FileWatchError) -> Bool {
        linkCount += 1
        guard linkCount <= Self.maximumLinks, let destination = try Self.destination(of: path)
        else {
            return false
        }
        if destination.isAbsolute { folder = "/" }
        pending.append(contentsOf: destination.components.reversed())
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
