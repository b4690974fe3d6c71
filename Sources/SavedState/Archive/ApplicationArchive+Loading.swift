import ExactText
import Glibc
import LinuxIO
package import StateRecords

extension ApplicationArchive {
    /// Reads the file and checks every byte of it; what is in memory is forgotten.
    ///
    /// A damaged file is moved to quarantine, and the passes before the damage, or the newest
    /// generation if that is newer, are saved as the new archive; without either, the objects that
    /// are intact (L5). A torn end stays where it is
    /// until something is saved. After an error nothing is saved until a load succeeds.
    ///
    /// - Parameter namesUsed: the numbers of the names in an object's values, nil if they are none:
    ///   of a file of which single objects are salvaged those are left out that use a damaged name.
    package func load(
        namesUsed: @escaping (ObjectRecord) -> [UInt32]? = { _ in [] }
    ) throws(LoadError) -> LoadOutcome {
        do throws(IOError) { try log.cancelCompaction() } catch {}
        do throws(LoadError) {
            return try place.readFiles { () throws(LoadError) in try readFile(namesUsed) }
        } catch {
            noteRefused(error)
            throw error
        }
    }

    /// What was found under the archive's name.
    private struct Found {
        var bytes: [UInt8]
        var status: FileStatus
        /// The file, to be appended to; the error says why it cannot be.
        var file: Result<any FolderFile, IOError>
    }

    private func readFile(
        _ namesUsed: (ObjectRecord) -> [UInt32]?
    ) throws(LoadError) -> LoadOutcome {
        let (found, isLink) = try LoadError.wrapping { () throws(IOError) -> (Found?, Bool) in
            guard let folder = try place.folder() else {
                if try !place.isLinkToNowhere() { return (nil, false) }
                throw IOError(.openFolder, path: path, code: ENOENT)
            }
            let found = try find(in: folder)
            return (found, try folder.entryStatus(of: Layout.archive)?.kind == .link)
        }
        guard let found else {
            noteLoaded(ObjectStore(), ArchiveLog(at: place))
            return .none
        }
        if isLink { throw .link(path: path) }
        switch ArchiveReader.read(found.bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version):
            throw .newerFormat(path: path, version: version)
        case .whole(let prefix):
            noteLoaded(prefix.store, log(of: prefix, found))
            clearAway(besides: ArchiveHeader(found.bytes))
            return .loaded(closed: prefix.closed, torn: nil)
        case .torn(let prefix, let tail):
            noteLoaded(
                prefix.store, log(of: prefix, found),
                torn: TornArchive(bytes: found.bytes, tail: tail))
            clearAway(besides: ArchiveHeader(found.bytes))
            return .loaded(closed: false, torn: tail)
        case .damaged(let reason, let offset, let salvaged):
            let damage = Damage(
                reason: reason, offset: offset,
                cause: Damage.Cause(found.bytes, bundleIdentifier: bundleIdentifier),
                quarantinedAs: "")
            return try LoadError.wrapping(
                try quarantine(found.bytes, damage, before: salvaged, namesUsed))
        }
    }

    /// Takes away what an interrupted save, or a compaction, left beside the archive. What cannot
    /// be removed does no harm; that is told.
    ///
    /// - Parameter header: that of the archive; nil: it is not known.
    func clearAway(besides header: ArchiveHeader?) {
        do throws(IOError) {
            guard let folder = try place.folder() else { return }
            if try folder.status(of: Layout.salvaged) != nil {
                try NumberedFolder(.quarantine, in: folder).take(
                    Layout.salvaged, as: Layout.salvaged,
                    because:
                        "It was to replace the archive, and another archive is there."
                )
            }
            try folder.remove(Layout.temporary)
            try CompactionLeftover(folder: folder).clear(besides: header)
        } catch {
            log.incidents.append(.leftover(error))
        }
    }

    /// The log of a file that goes on where it ends, if it can be written to at all.
    private func log(of prefix: ArchiveReader.Prefix, _ found: Found) -> ArchiveLog {
        let log = ArchiveLog(at: place, end: prefix.end, isClosed: prefix.closed)
        log.noteDevices()
        switch found.file {
        case .success(let file) where prefix.closed && found.status.linkCount < 2:
            log.begin(
                ArchiveFile(
                    file: file, path: path, end: prefix.end, byteCount: prefix.byteCount,
                    synced: 0),
                found.status)
        case .success, .failure:
            log.inherit(found.status, found.bytes)
            if found.status.linkCount > 1 { log.incidents.append(.otherNames) }
            if case .failure = found.file { log.finish() }
        }
        // Who wrote it may have been killed before it was durable, even in an orderly stop.
        log.durability.noteWritten()
        return log
    }

    /// Opens and reads the file, after finishing what an interrupted salvage has left to do.
    private func find(in folder: some Folder) throws(IOError) -> Found? {
        if let found = try open(in: folder) { return found }
        guard let salvaged = try folder.read(Layout.salvaged, limit: place.limit) else {
            // A symbolic link that leads nowhere is no empty state: its disk may come back.
            if try folder.names().contains(Layout.archive) {
                throw IOError(.open, path: path, code: ENOENT)
            }
            return nil
        }
        guard case .whole = ArchiveReader.read(salvaged, bundleIdentifier: bundleIdentifier) else {
            // It was never finished, so that nothing was to give way to it yet.
            try folder.remove(Layout.salvaged)
            return nil
        }
        try place.synchronize()
        try folder.rename(Layout.salvaged, to: Layout.archive)
        try folder.synchronize()
        return try open(in: folder)
    }

    private func open(in folder: some Folder) throws(IOError) -> Found? {
        do throws(IOError) {
            guard let file = try folder.openForAppending(Layout.archive) else { return nil }
            let status = try file.status()
            guard status.kind == .file else {
                throw IOError(.read, path: path, code: EINVAL)
            }
            guard status.size <= place.limit else { throw IOError(.read, path: path, code: EFBIG) }
            return Found(
                bytes: try file.read(upTo: status.size), status: status, file: .success(file))
        } catch  where [EACCES, EPERM, EROFS, EKEYEXPIRED].contains(error.code) {
            // What cannot be written may be read all the same; so may what is not encrypted as it
            // would be now.
            guard let bytes = try folder.read(Layout.archive, limit: place.limit),
                let status = try folder.status(of: Layout.archive)
            else { return nil }
            return Found(bytes: bytes, status: status, file: .failure(error))
        }
    }

    /// Moves the damaged file away and puts what was salvaged in its place.
    ///
    /// What was salvaged is durable under another name before the damaged file is moved, so that
    /// no moment is without one of them.
    ///
    /// - Parameter before: what the passes before the damage left.
    private func quarantine(
        _ bytes: [UInt8], _ found: Damage, before: ArchiveReader.Prefix?,
        _ namesUsed: (ObjectRecord) -> [UInt32]?
    ) throws(IOError) -> LoadOutcome {
        var damage = found
        // It is there; making it would take away what an interrupted save left, which may be
        // newest.
        guard let folder = try place.folder() else {
            throw IOError(.openFolder, path: path, code: ENOENT)
        }
        try place.synchronize()
        var (usable, source) = try newest(of: before, in: folder)
        if usable == nil,
            let salvage = ArchiveSalvage(
                bytes, bundleIdentifier: bundleIdentifier, namesUsed: namesUsed)
        {
            usable = salvage.prefix
            damage.salvage = salvage.account
        }
        var log = ArchiveLog(at: place)
        var file: ArchiveFile?
        if let usable {
            log = ArchiveLog(at: place, end: usable.end, isClosed: false)
            log.sequence = max(log.sequence, before?.end.sequence ?? 0)
            let whole = log.encodeWhole(usable.store.wholeRecords())
            file = ArchiveFile(
                try folder.replace(
                    Layout.salvaged, with: whole.bytes, temporary: Layout.temporary),
                path: path, whole)
        } else {
            try folder.remove(Layout.salvaged)
        }
        let quarantined = try NumberedFolder(.quarantine, in: folder).take(
            Layout.archive, as: Layout.archive,
            because:
                "The archive is damaged at byte \(damage.offset): \(damage.reason); "
                + "\(damage.cause.remedy).")
        if let file {
            try folder.rename(Layout.salvaged, to: Layout.archive)
            try folder.synchronize()
            log.begin(file, try file.file.status())
            log.noteDevices()
        }
        noteLoaded(usable?.store ?? ObjectStore(), log)
        damage.quarantinedAs = quarantined.path
        damage.salvaged = usable?.contents
        damage.source = source
        return .damaged(damage)
    }

    /// What is newest: the part before the damage, what an interrupted save was about to put in its
    /// place, or the newest generation that can be read; and where it lies, if it is not the first.
    private func newest(
        of salvaged: ArchiveReader.Prefix?, in folder: any Folder
    ) throws(IOError) -> (ArchiveReader.Prefix?, path: String?) {
        var newest: (ArchiveReader.Prefix?, path: String?) = (salvaged, nil)
        func offer(_ prefix: ArchiveReader.Prefix, _ path: String) {
            if prefix.end.sequence > newest.0?.end.sequence ?? 0 { newest = (prefix, path) }
        }
        if let bytes = try folder.read(Layout.salvaged, limit: place.limit),
            case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier)
        {
            offer(prefix, "\(folder.path)/\(Layout.salvaged)")
        }
        do throws(IOError) {
            let generation = try NumberedFolder(.history, existingIn: folder)?.newestUsable(
                limit: place.limit, bundleIdentifier: bundleIdentifier)
            if let generation { offer(generation.prefix, generation.path) }
        } catch  where error.isOfUnusableFolder {
            // What lies there stays, and can be gone back to when it can be read.
        }
        return newest
    }
}
