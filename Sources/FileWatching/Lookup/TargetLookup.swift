import Glibc
internal import SystemPackage

/// Result of looking up a target, with the watches that report possible changes to the result.
struct TargetLookup {
    /// Route to the target.
    private(set) var route = ResolvedRoute()
    /// Routes through the symbolic links in a directory, keyed by the name of the link.
    private(set) var linkRoutes: [FilePath.Component: ResolvedRoute] = [:]
    /// Filters that select the events about the target, keyed by the number of the watch.
    private(set) var filters: [CInt: WatchFilter] = [:]
    /// Error that prevented part of the target from being examined or watched, or `nil` if none occurred.
    private(set) var failure: FileWatchError?

    private let isFileTarget: Bool
    private let inotify: Inotify
    /// Numbers of the watches on the directories entered so far, keyed by path.
    ///
    /// If the kernel refused a watch, the value is the kernel's error.
    private var watchResults: [FilePath: Result<CInt, FileWatchError>] = [:]

    /// Looks up a target with an absolute path, and watches everything on the path to it.
    ///
    /// The result is incomplete if ``failure`` is not `nil`.
    init(of target: FileTarget, watching inotify: Inotify) {
        self.inotify = inotify
        isFileTarget = if case .file = target { true } else { false }
        do throws(FileWatchError) {
            switch target {
            case .file(let path):
                route = try follow(path, intoDirectory: false)
            case .directory(let path, let suffix):
                route = try follow(path, intoDirectory: true)
                try followMatchingLinks(suffix: Array(suffix.utf8))
            }
        } catch {
            failure = error
        }
    }

    /// Adopts the routes of an earlier result, but not its watches.
    mutating func adoptRoutes(_ earlierLookup: TargetLookup) {
        route = earlierLookup.route
        linkRoutes = earlierLookup.linkRoutes
    }

    /// Returns the changes between this result and a newer result that has no failure.
    ///
    /// - Parameter reportedChanges: The changes that the kernel reported for the target's own name between the results.
    func changes(
        to newLookup: TargetLookup, reportedChanges: FileChanges,
        wasUnmounted: (ResolvedRoute) -> Bool
    ) -> FileChanges {
        var observedChanges = route.changes(to: newLookup.route, wasUnmounted: wasUnmounted)
        for (name, oldRoute) in linkRoutes {
            guard let newRoute = newLookup.linkRoutes[name] else { continue }
            observedChanges.formUnion(oldRoute.changes(to: newRoute, wasUnmounted: wasUnmounted))
        }
        return reportedChanges.union(
            isFileTarget
                ? newLookup.unexplainedChanges(observedChanges, by: reportedChanges)
                : observedChanges)
    }

    /// Returns the observed changes to a file that the reported changes do not account for.
    ///
    /// A result may be newer than the kernel's events. For example, a file may have been removed and created again
    /// while only the removal has been reported. The new file may even have the same inode.
    private func unexplainedChanges(_ observedChanges: FileChanges, by reportedChanges: FileChanges)
        -> FileChanges
    {
        if observedChanges.contains(.unmounted) { return observedChanges }
        if !reportedChanges.isDisjoint(with: [.created, .replaced]) {
            return observedChanges.subtracting([.created, .replaced])
        }
        return reportedChanges.contains(.removed) && route.endNode != nil
            ? .created : observedChanges
    }

    /// Follows each link in the target directory if its name ends with the suffix, and selects the events of matching
    /// names.
    private mutating func followMatchingLinks(suffix: [UInt8]) throws(FileWatchError) {
        guard let directory = route.endNode?.path,
            let watchNumber = try watchResults[directory]?.get()
        else {
            return
        }
        filters[watchNumber, default: WatchFilter()].suffix = suffix
        for name in try DirectoryLinks.linkNames(in: directory, suffix: suffix) {
            linkRoutes[name] = try follow(directory.appending(name), intoDirectory: false)
        }
    }

    /// Follows a path and watches everything that could change the route.
    private mutating func follow(
        _ path: FilePath, intoDirectory: Bool
    ) throws(FileWatchError) -> ResolvedRoute {
        let route = try PathWalk.follow(path, intoDirectory: intoDirectory) {
            directory, containsEnd throws(FileWatchError) in
            try enter(directory, containsEnd: containsEnd)
        }
        for step in route.steps {
            switch watchResults[step.directory] {
            case .success(let watchNumber):
                let name = step.name.bytes
                let isTargetName =
                    step.kind == .end || filters[watchNumber]?.isTargetByName[name] == true
                filters[watchNumber, default: WatchFilter()].isTargetByName[name] =
                    isTargetName
            case .failure(let error) where step.kind != .directory: throw error
            default: break
            }
        }
        if let endNode = route.endNode, endNode.entry.kind == .regular, !intoDirectory {
            try watchFile(endNode.path)
        }
        return route
    }

    /// Watches a directory, and returns `false` if it no longer exists.
    ///
    /// A directory that cannot be read is skipped. If the next directory on the path is moved, the watch on that
    /// directory itself reports the move.
    private mutating func enter(_ directory: FilePath, containsEnd: Bool) throws(FileWatchError)
        -> Bool
    {
        do throws(FileWatchError) {
            let mask: InotifyMask = containsEnd ? .contentEvents : .nameEvents
            guard let watchNumber = try inotify.addWatch(on: directory, for: mask) else {
                return false
            }
            watchResults[directory] = .success(watchNumber)
            filters[watchNumber] = filters[watchNumber] ?? WatchFilter()
        } catch  where error.errno == .permissionDenied {
            watchResults[directory] = .failure(error)
        }
        return true
    }

    /// Watches a file for writes that are made through other names.
    ///
    /// A file that cannot be read is not watched. The watch on its directory still reports changes through the target's
    /// own name.
    private mutating func watchFile(_ path: FilePath) throws(FileWatchError) {
        do throws(FileWatchError) {
            if let watchNumber = try inotify.addWatch(on: path, for: .fileEvents) {
                filters[watchNumber] = filters[watchNumber] ?? WatchFilter()
            }
        } catch  where error.errno == .permissionDenied {}
    }
}

/// Filter that selects a watch's events about a target.
struct WatchFilter: Equatable {
    /// Relevant names in the watched directory.
    ///
    /// The value is `true` if a change to the name changes the target, and `false` if the name is only on the path to
    /// the target.
    var isTargetByName: [[UInt8]: Bool] = [:]
    /// Suffix that makes other names relevant too, or `nil` if no other names are relevant.
    var suffix: [UInt8]?

    /// Returns the changes to the target that an event reports, or `nil` if the event does not concern the target.
    func changes(by event: InotifyEvent) -> FileChanges? {
        guard let name = event.name else {
            // The attributes of a directory on the path are not attributes of the target. If they affect the target,
            // checking the target detects the effect.
            return suffix == nil
                ? event.mask.changes.subtracting(.attributes) : event.mask.changes
        }
        if let suffix, name.suffix(suffix.count) == suffix[...] { return event.mask.changes }
        return isTargetByName[name].map { $0 ? event.mask.changes : [] }
    }
}

/// Symbolic links among the entries of a directory.
enum DirectoryLinks {
    /// Lists the links whose names end with a suffix.
    ///
    /// The list is empty if the directory does not exist.
    ///
    /// - Throws: `EMLINK` if there are more than ``FileTarget/maximumLinkCount`` links.
    static func linkNames(
        in directory: FilePath, suffix: [UInt8]
    ) throws(FileWatchError) -> [FilePath.Component] {
        guard let directoryStream = directory.withPlatformString({ opendir($0) }) else {
            let reason = Errno(rawValue: errno)
            if reason == .noSuchFileOrDirectory || reason == .notDirectory { return [] }
            throw FileWatchError(.list, directory, reason)
        }
        defer { closedir(directoryStream) }
        var names: [FilePath.Component] = []
        while true {
            errno = 0
            guard let entry = readdir(directoryStream) else {
                if errno == 0 { return names }
                throw FileWatchError(.list, directory, Errno(rawValue: errno))
            }
            let entryType = CInt(entry.pointee.d_type)
            guard entryType == CInt(DT_LNK) || entryType == CInt(DT_UNKNOWN) else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            guard name.suffix(suffix.count) == suffix[...], let name = FilePath.Component(name)
            else { continue }
            if entryType == CInt(DT_UNKNOWN) {
                guard try PathEntry.lookUp(directory.appending(name))?.kind == .link else {
                    continue
                }
            }
            if names.count == FileTarget.maximumLinkCount {
                throw FileWatchError(.followLinks, directory, .tooManyLinks)
            }
            names.append(name)
        }
    }
}

extension FilePath.Component {
    /// Creates a name from bytes in any encoding, or returns `nil` if the bytes are not a valid name.
    init?(_ bytes: [UInt8]) {
        self.init(platformString: bytes.map { CInterop.PlatformChar(bitPattern: $0) } + [0])
    }

    /// Bytes of the name.
    var bytes: [UInt8] {
        withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
}
