import Glibc
internal import SystemPackage

/// Follows a path name by name and link by link, as the kernel does.
struct PathWalk {
    /// The most symbolic links that are followed; the kernel's own limit, see path_resolution(7).
    static let mostLinks = 40

    /// Called with each folder before a name is looked up in it, so that what changes after the
    /// look is noticed; the flag tells whether it holds what the path leads to. False: it is gone.
    typealias Enter = (FilePath, _ holdsEnd: Bool) throws(FileWatchError) -> Bool

    private var route = Route()
    private var folder: FilePath = "/"
    /// The names still to go, the next one last.
    private var pending: [FilePath.Component]
    private var linkCount = 0
    private let endsInFolder: Bool

    /// Follows an absolute path to a file, or into a folder. One that leads to nothing, also by a
    /// loop of links, has a route without an end.
    static func follow(
        _ path: FilePath, intoFolder: Bool, entering enter: Enter
    ) throws(FileWatchError) -> Route {
        var walk = PathWalk(pending: path.components.reversed(), endsInFolder: intoFolder)
        if let root = try FoundFile.at("/") {
            walk.route.places.append(Route.Place(path: "/", found: root))
        }
        while let name = walk.pending.popLast() {
            guard try walk.look(up: name, enter) else { return walk.route }
        }
        if intoFolder, try !enter(walk.folder, true) { return walk.route }
        walk.route.end = walk.route.places.last { $0.path == walk.folder }
        return walk.route
    }

    /// Goes one name further; false at the end of the way.
    private mutating func look(
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
            note(name, .link)
            return try followLink(path)
        case .folder where !isEnd:
            note(name, .folder)
            folder = path
            if let found { route.places.append(Route.Place(path: path, found: found)) }
            return true
        default:
            note(name, isEnd ? .end : .block)
            if isEnd, let found {
                let place = Route.Place(path: path, found: found)
                route.places.append(place)
                route.end = place
            }
            return false
        }
    }

    private mutating func note(_ name: FilePath.Component, _ kind: Route.Step.Kind) {
        route.steps.append(Route.Step(folder: folder, name: name, kind: kind))
    }

    /// Puts what a link says in the place of its name; false if it says nothing, or one too many
    /// did.
    private mutating func followLink(_ path: FilePath) throws(FileWatchError) -> Bool {
        linkCount += 1
        guard linkCount <= Self.mostLinks, let destination = try Self.destination(of: path) else {
            return false
        }
        if destination.isAbsolute { folder = "/" }
        pending.append(contentsOf: destination.components.reversed())
        return true
    }

    /// What a symbolic link says; nil if it is none any more.
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
