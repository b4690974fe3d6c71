import Glibc
import LinuxIO

extension ApplicationArchive {
    /// Reads the file and checks every byte of it; what is in memory is forgotten.
    ///
    /// A damaged file is moved to quarantine, and the passes before the damage, or the newest
    /// generation if that is newer, are saved as the new archive (L5). A torn end stays where it is
    /// until something is saved.
    ///
    /// - Throws: ``LoadError`` if the file is of a newer format, is a symbolic link, or the kernel reports an error;
    ///   then nothing is saved either until a load succeeds.
    package func load() throws(LoadError) -> LoadOutcome {
        if case .loaded(let image) = phase {
            do throws(SaveError) { try cancelCompaction(of: image) } catch {}
        }
        do throws(LoadError) {
            let (image, outcome) = try readFile()
            phase = .loaded(image)
            return outcome
        } catch {
            phase = .refused(error)
            throw error
        }
    }

    /// What was found under the archive's name.
    private struct Found {
        var bytes: [UInt8]
        var status: FileStatus
        /// The file, to be appended to; the error says why it cannot be.
        var file: Result<any FolderFile, IOError>

        var header: ArchiveHeader? {
            if case .header(let header, _, _) = ArchiveHeader.parse(bytes) { header } else { nil }
        }
    }

    private func readFile() throws(LoadError) -> (ArchiveImage, LoadOutcome) {
        let found: Found
        let isLink: Bool
        do throws(IOError) {
            guard let folder = try folder() else {
                if try isLinkToNowhere() {
                    throw IOError(.openFolder, path: path, code: ENOENT)
                }
                return (ArchiveImage(), .none)
            }
            guard let there = try find(in: folder) else { return (ArchiveImage(), .none) }
            found = there
            isLink = try folder.entryStatus(of: Layout.archive)?.kind == .link
        } catch {
            throw .io(error)
        }
        if isLink { throw .link(path: path) }
        switch ArchiveReader.read(found.bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version):
            throw .newerFormat(path: path, version: version)
        case .whole(let prefix):
            let image = image(of: prefix, found)
            clearAway(besides: found.header, of: image)
            return (image, .loaded(closed: prefix.closed, torn: nil))
        case .torn(let prefix, let tail):
            let image = image(of: prefix, found)
            clearAway(besides: found.header, of: image)
            image.torn = (found.bytes, tail)
            return (image, .loaded(closed: false, torn: tail))
        case .damaged(let reason, let offset, let salvaged):
            do throws(IOError) {
                return try quarantine(
                    reason, offset, Damage.Cause(found.bytes, bundleIdentifier: bundleIdentifier),
                    salvaged)
            } catch {
                throw .io(error)
            }
        }
    }

    /// Takes away what an interrupted save, or a compaction, left beside the archive.
    ///
    /// A disk that does not let it go leaves it there, where it does no harm; that is told.
    ///
    /// - Parameter header: that of the archive; nil: it is not known.
    func clearAway(besides header: ArchiveHeader?, of image: ArchiveImage) {
        do throws(IOError) {
            guard let folder = try folder() else { return }
            if try folder.status(of: Layout.salvaged) != nil {
                _ = try Quarantine(in: folder).take(
                    Layout.salvaged,
                    reason: "It was to take the place of the archive, and another archive is there."
                )
            }
            try folder.remove(Layout.temporary)
            try CompactionLeftover(in: folder).clear(besides: header)
        } catch {
            image.incidents.append(.leftover(error))
        }
    }

    /// The image of a file that goes on where it ends, if it can be written to at all.
    private func image(of prefix: ArchiveReader.Prefix, _ found: Found) -> ArchiveImage {
        let image = ArchiveImage(prefix)
        image.known = [found.status]
        noteDevices(image)
        switch found.file {
        case .success where !prefix.closed:
            image.file = .inherited
        case .success(let file):
            image.file = .open(
                ArchiveFile(
                    file, path: path, end: prefix.end, byteCount: prefix.byteCount, synced: 0))
        case .failure(let error):
            image.finish(error)
        }
        // Who wrote it may have been killed before it was durable, even in an orderly stop.
        image.durability.noteWritten()
        return image
    }

    /// Opens and reads the file, after finishing what an interrupted salvage has left to do.
    private func find(in folder: some Folder) throws(IOError) -> Found? {
        if let found = try open(in: folder) { return found }
        guard let salvaged = try folder.read(Layout.salvaged, limit: limit) else {
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
        try archiveNames.synchronize()
        try folder.rename(Layout.salvaged, to: Layout.archive)
        try folder.synchronize()
        return try open(in: folder)
    }

    private func open(in folder: some Folder) throws(IOError) -> Found? {
        do throws(IOError) {
            guard let file = try folder.openForAppending(Layout.archive) else { return nil }
            let status = try file.status()
            guard status.mode & S_IFMT == S_IFREG else {
                throw IOError(.read, path: path, code: EINVAL)
            }
            guard status.size <= limit else { throw IOError(.read, path: path, code: EFBIG) }
            return Found(
                bytes: try file.read(upTo: status.size), status: status, file: .success(file))
        } catch  where [EACCES, EPERM, EROFS].contains(error.code) {
            // What cannot be written may be read all the same.
            guard let bytes = try folder.read(Layout.archive, limit: limit),
                let status = try folder.status(of: Layout.archive)
            else { return nil }
            return Found(bytes: bytes, status: status, file: .failure(error))
        }
    }

    /// Moves the damaged file away and puts what was salvaged in its place.
    ///
    /// What was salvaged is durable under another name before the damaged file is moved, so that
    /// no moment is without one of them.
    private func quarantine(
        _ reason: String, _ offset: Int, _ cause: Damage.Cause,
        _ salvaged: ArchiveReader.Prefix?
    ) throws(IOError) -> (ArchiveImage, LoadOutcome) {
        // It is there; making it would take away what an interrupted save left, which may be newest.
        guard let folder = try folder() else {
            throw IOError(.openFolder, path: path, code: ENOENT)
        }
        try archiveNames.synchronize()
        let (usable, source) = try newest(of: salvaged, in: folder)
        let image = usable.map(ArchiveImage.init) ?? ArchiveImage()
        image.sequence = max(image.sequence, salvaged?.end.sequence ?? 0)
        image.closed = false
        var file: ArchiveFile?
        if usable == nil {
            try folder.remove(Layout.salvaged)
        } else {
            let whole = image.encodeWhole(
                image.store.wholeEntries(), bundleIdentifier: bundleIdentifier)
            file = ArchiveFile(
                try folder.replace(
                    Layout.salvaged, with: whole.bytes, temporary: Layout.temporary),
                path: path, end: whole.end, byteCount: whole.bytes.count,
                synced: whole.end.sequence)
        }
        let quarantined = try Quarantine(in: folder).take(
            Layout.archive,
            reason: "The archive is damaged at byte \(offset): \(reason); \(cause.remedy).")
        if let file {
            try folder.rename(Layout.salvaged, to: Layout.archive)
            try folder.synchronize()
            image.known = [try file.file.status()]
            image.file = .open(file)
            noteDevices(image)
        }
        let damage = Damage(
            reason: reason, offset: offset, cause: cause, quarantinedAs: quarantined,
            salvaged: usable?.contents, source: source)
        return (image, .damaged(damage))
    }

    /// What is newest: the part before the damage, what an interrupted save was about to put in its
    /// place, or the newest generation that can be read.
    ///
    /// - Returns: and where it lies, if it is not the first.
    private func newest(
        of salvaged: ArchiveReader.Prefix?, in folder: any Folder
    ) throws(IOError) -> (ArchiveReader.Prefix?, path: String?) {
        var newest: (ArchiveReader.Prefix?, path: String?) = (salvaged, nil)
        func offer(_ prefix: ArchiveReader.Prefix, _ path: String) {
            if prefix.end.sequence > newest.0?.end.sequence ?? 0 { newest = (prefix, path) }
        }
        if let bytes = try folder.read(Layout.salvaged, limit: limit),
            case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier)
        {
            offer(prefix, "\(folder.path)/\(Layout.salvaged)")
        }
        let generation = try History.newest(
            in: folder, limit: limit, bundleIdentifier: bundleIdentifier)
        if let generation { offer(generation.prefix, generation.path) }
        return newest
    }
}
