import Glibc
internal import SystemPackage

/// What one look at a target found, and the watches that will tell when it is no longer true.
struct TargetLookup {
    /// The way to the target.
    private(set) var route = Route()
    /// The ways to what the links among a folder's entries stand for.
    private(set) var links: [FilePath.Component: Route] = [:]
    /// By the number of the watch.
    private(set) var uses: [CInt: WatchUse] = [:]
    /// Why not all of it could be looked at or watched.
    private(set) var failure: FileWatchError?

    private let isOfFile: Bool
    private let inotify: Inotify
    /// By folder that was entered: the number of its watch, or why the kernel refused it.
    private var watches: [FilePath: Result<CInt, FileWatchError>] = [:]

    /// Looks at a target with an absolute path. A failure leaves what was found until then.
    init(of target: FileTarget, watching inotify: Inotify) {
        self.inotify = inotify
        isOfFile = if case .file = target { true } else { false }
        do throws(FileWatchError) {
            switch target {
            case .file(let path):
                route = try follow(path, intoFolder: false)
            case .folder(let path, let suffix):
                route = try follow(path, intoFolder: true)
                try lookAtEntries(suffix: Array(suffix.utf8))
            }
        } catch {
            failure = error
        }
    }

    /// Takes what was found earlier for what could not be found now, but keeps the watches.
    mutating func keep(_ earlier: TargetLookup) {
        route = earlier.route
        links = earlier.links
    }

    /// Tells what changed between two looks at a target, neither of which failed, between which the
    /// kernel told something of the target's own name.
    func changes(
        to new: TargetLookup, told: FileChanges, wasUnmounted: (Route) -> Bool
    ) -> FileChanges {
        var seen = route.changes(to: new.route, wasUnmounted: wasUnmounted)
        for (name, old) in links {
            guard let now = new.links[name] else { continue }
            seen.formUnion(old.changes(to: now, wasUnmounted: wasUnmounted))
        }
        return told.union(isOfFile ? new.unexplained(seen, by: told) : seen)
    }

    /// The changes of a file that the look found and that the kernel did not tell in other words.
    ///
    /// A look may be ahead of what the kernel told: of a file removed and made again the removal
    /// may be told so far, and the new one may have the same inode.
    private func unexplained(_ seen: FileChanges, by told: FileChanges) -> FileChanges {
        if seen.contains(.unmounted) { return seen }
        if !told.isDisjoint(with: [.created, .replaced]) {
            return seen.subtracting([.created, .replaced])
        }
        return told.contains(.removed) && route.end != nil ? .created : seen
    }

    private mutating func lookAtEntries(suffix: [UInt8]) throws(FileWatchError) {
        guard let folder = route.end?.path, let watch = try watches[folder]?.get() else { return }
        uses[watch, default: WatchUse()].suffix = suffix
        for name in try FolderLinks.names(in: folder, suffix: suffix) {
            links[name] = try follow(folder.appending(name), intoFolder: false)
        }
    }

    /// Follows a path, and watches all that could lead it elsewhere.
    private mutating func follow(
        _ path: FilePath, intoFolder: Bool
    ) throws(FileWatchError) -> Route {
        let route = try PathWalk.follow(path, intoFolder: intoFolder) {
            folder, holdsEnd throws(FileWatchError) in
            try enter(folder, holdsEnd: holdsEnd)
        }
        for step in route.steps {
            switch watches[step.folder] {
            case .success(let watch):
                let name = step.name.bytes
                let isEnd = step.kind == .end || uses[watch]?.names[name] == true
                uses[watch, default: WatchUse()].names[name] = isEnd
            case .failure(let error) where step.kind != .folder: throw error
            default: break
            }
        }
        if let end = route.end, end.found.kind == .regular, !intoFolder {
            try watchFile(end.path)
        }
        return route
    }

    /// Watches a folder. One that may not be read is passed through: the next one tells by itself
    /// if it is moved.
    private mutating func enter(_ folder: FilePath, holdsEnd: Bool) throws(FileWatchError) -> Bool {
        do throws(FileWatchError) {
            let mask: InotifyMask = holdsEnd ? .contents : .names
            guard let watch = try inotify.add(folder, mask) else { return false }
            watches[folder] = .success(watch)
            uses[watch] = uses[watch] ?? WatchUse()
        } catch  where error.errno == .permissionDenied {
            watches[folder] = .failure(error)
        }
        return true
    }

    /// Watches a file for writing under other names. Its folder tells of its own name, so one that
    /// may not be read is left at that.
    private mutating func watchFile(_ path: FilePath) throws(FileWatchError) {
        do throws(FileWatchError) {
            if let watch = try inotify.add(path, .file) { uses[watch] = uses[watch] ?? WatchUse() }
        } catch  where error.errno == .permissionDenied {}
    }
}

/// What one watch of the kernel's tells one target.
struct WatchUse: Equatable {
    /// The names in the watched folder that matter; true: what happens to it happens to the target,
    /// false: it only is on the way.
    var names: [[UInt8]: Bool] = [:]
    /// The suffix of all names that matter besides.
    var suffix: [UInt8]?

    /// What an event of the watch tells of the target; nil if it is not of it.
    func changes(by event: InotifyEvent) -> FileChanges? {
        guard let name = event.name else {
            // Of a folder on the way they say nothing of the target: another look does.
            return suffix == nil
                ? event.mask.changes.subtracting(.attributes) : event.mask.changes
        }
        if let suffix, name.suffix(suffix.count) == suffix[...] { return event.mask.changes }
        return names[name].map { $0 ? event.mask.changes : [] }
    }
}

/// The symbolic links among a folder's entries.
enum FolderLinks {
    /// Lists those whose names end with a suffix; none if the folder is gone.
    ///
    /// - Throws: `EMLINK` if there are more than ``FileTarget/mostLinks``.
    static func names(
        in folder: FilePath, suffix: [UInt8]
    ) throws(FileWatchError) -> [FilePath.Component] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else {
            let reason = Errno(rawValue: errno)
            if reason == .noSuchFileOrDirectory || reason == .notDirectory { return [] }
            throw FileWatchError(.list, folder, reason)
        }
        defer { closedir(stream) }
        var names: [FilePath.Component] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return names }
                throw FileWatchError(.list, folder, Errno(rawValue: errno))
            }
            let type = CInt(entry.pointee.d_type)
            guard type == CInt(DT_LNK) || type == CInt(DT_UNKNOWN) else { continue }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            guard name.suffix(suffix.count) == suffix[...], let name = FilePath.Component(name)
            else { continue }
            if type == CInt(DT_UNKNOWN) {
                guard try FoundFile.at(folder.appending(name))?.kind == .link else { continue }
            }
            if names.count == FileTarget.mostLinks {
                throw FileWatchError(.followLinks, folder, .tooManyLinks)
            }
            names.append(name)
        }
    }
}

extension FilePath.Component {
    /// A name of these bytes, whatever their encoding; nil if they are no name.
    init?(_ bytes: [UInt8]) {
        self.init(platformString: bytes.map { CInterop.PlatformChar(bitPattern: $0) } + [0])
    }

    /// The bytes of the name.
    var bytes: [UInt8] {
        withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
}
