import Glibc
import LinuxIO

extension ApplicationArchive {
    /// Saves what a turn changed, and whatever could not be saved before.
    ///
    /// The records go to the end of the file by one write(2); where there is no file, or it is not
    /// trusted, a whole new one is written, durably: one that was not closed by the process before is
    /// not. A turn that changes nothing writes nothing (P16), unless there is something else to write;
    /// so an empty one tries again. After an error from
    /// the kernel what was saved before is untouched, the turn is pending, and the next append holds
    /// it. A malformed pass, and those behind it in the turn, are not taken; those before it are
    /// pending.
    ///
    /// A required generation is made first.
    ///
    /// - Returns: how safe everything that was appended so far now is.
    @discardableResult
    package func append(_ turn: TurnRecords) throws(SaveError) -> SaveLevel {
        try stage(turn)
        let image = try loadedImage()
        try makeRequiredGeneration(of: image)
        if image.pending || image.isInherited { try flush(image) }
        return image.durability.isComplete ? .durable : .written
    }

    /// Takes in what a turn changed, without writing it: it is pending, and part of the next
    /// append.
    package func stage(_ turn: TurnRecords) throws(SaveError) {
        let image = try loadedImage()
        do throws(MalformedPass) {
            try image.take(turn)
        } catch {
            throw .malformed(path: path, reason: error.reason)
        }
    }

    /// Finds out whether every pass of a turn would be taken, and takes none.
    ///
    /// The cost follows the number of all objects.
    ///
    /// - Throws: ``SaveError/malformed(path:reason:)``.
    package func check(_ turn: TurnRecords) throws(SaveError) {
        var store = try loadedImage().store
        for pass in turn.passes {
            let entries = store.changes(of: pass)
            do throws(MalformedPass) {
                try store.check(entries, pass.end)
            } catch {
                throw .malformed(path: path, reason: error.reason)
            }
            store.merge(entries, pass.end)
        }
    }

    /// Notes that the application runs, so that after a kill the archive does not end in `closed`.
    ///
    /// One short write without a sync, and only where the file ends in `closed`.
    package func markOpened() throws(SaveError) {
        let image = try loadedImage()
        guard image.closed, image.appends else { return }
        try append([ArchiveEntry(.opened)], to: image)
        image.closed = false
    }

    /// Saves what is pending and ends the archive with `closed`, all of it durably: an orderly stop.
    ///
    /// Without anything ever saved there is no archive to close, and none is made.
    package func close() throws(SaveError) {
        let image = try loadedImage()
        try makeRequiredGeneration(of: image)
        guard image.pending || (image.hasFile && !image.closed) else {
            if !image.durability.isComplete { try synchronizeNow(image) }
            return
        }
        try cancelCompaction(of: image)
        if image.pending, image.appends { try flush(image) }
        guard image.appends else { return try writeWhole(image, closed: true) }
        do throws(IOError) {
            if let reason = try changedName(image) { image.notice(reason) }
        } catch {
            throw .io(error)
        }
        guard case .none = image.external else { return try writeWhole(image, closed: true) }
        var files: [ArchiveFile] = []
        do throws(SaveError) {
            try synchronizeNow(image)
            try append(
                [ArchiveEntry(.closed, end: PassEnd(scene: 0, timestamp: 0))], to: image)
            image.closed = true
            files = image.files
            try synchronizeNow(image)
        } catch {
            guard !image.appends else { throw error }
            do throws(SaveError) {
                try writeWhole(image, closed: true)
            } catch {
                // The next process must not take a file for closed of which a sync has failed.
                if image.closed, revokesClosing(of: files) { image.closed = false }
                throw error
            }
        }
    }

    /// Says behind `closed` that it does not count; false if the disk does not let it.
    private func revokesClosing(of files: [ArchiveFile]) -> Bool {
        do throws(ArchiveFile.Failure) {
            for var file in files { try file.append([ArchiveEntry(.opened)]) }
            return true
        } catch {
            return false
        }
    }

    /// Writes what is pending.
    private func flush(_ image: ArchiveImage) throws(SaveError) {
        guard image.appends, case .none = image.external, hasRoom(image) else {
            return try writeWhole(image)
        }
        if !image.unwritten.isEmpty { try append(image.unwritten, to: image) }
        image.unwritten = []
        // Another file may have been written whole, because this one was changed externally.
        image.pending = false
        image.closed = false
    }

    /// What the records take that open and close an archive, in bytes.
    private static let reserve = 4 * (ArchiveFormat.smallestRecord + ArchiveFormat.endLength)

    private func hasRoom(_ image: ArchiveImage) -> Bool {
        guard let file = image.namedFile else { return true }
        // `closed` and `opened` have to find room, too.
        return file.byteCount + image.unwritten.byteCount + Self.reserve <= mostBytes(of: image)
    }

    /// Appends records to the file, or to both files of a compaction.
    private func append(
        _ entries: [ArchiveEntry], to image: ArchiveImage
    ) throws(SaveError) {
        do throws(ArchiveFile.Failure) {
            try image.append(entries)
        } catch {
            switch error {
            case .changedExternally(let reason):
                image.notice(reason)
                throw .changedExternally(path: path, reason: reason)
            case .refused(let error):
                throw .io(error)
            case .finished(let error):
                image.finish(error)
                throw .io(error)
            }
        }
    }

    /// Writes a whole new file of everything that is in memory, durably, in the place of the old.
    ///
    /// What another program left under the name goes to quarantine, if that was decided.
    ///
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if it was not.
    func writeWhole(_ image: ArchiveImage, closed: Bool = false) throws(SaveError) {
        image.pending = true
        let aside = try reasonToPutAside(image)
        try cancelCompaction(of: image)
        var entries = image.store.wholeEntries()
        if closed { entries.append(ArchiveEntry(.closed, end: PassEnd(scene: 0, timestamp: 0))) }
        try checkLength(of: entries, reserve: Self.reserve)
        let whole = image.encodeWhole(entries, bundleIdentifier: bundleIdentifier)
        let before = image.file
        var foreign: String?
        do throws(IOError) {
            let folder = try openOrMakeFolder()
            try quarantineTornCopy(image, in: folder)
            let file: any FolderFile
            if let aside {
                file = try putInPlace(whole.bytes, in: folder, because: aside, of: image)
            } else {
                file = try folder.replace(
                    Layout.archive, with: whole.bytes, temporary: Layout.temporary
                ) { new throws(IOError) in
                    // Writing it took its time.
                    foreign = try self.foreignFile(in: folder, image)
                    if foreign != nil { throw IOError(.rename, path: self.path, code: ESTALE) }
                    image.known.append(new)
                }
            }
            image.known = [try file.status()]
            image.file = .open(
                ArchiveFile(
                    file, path: path, end: whole.end, byteCount: whole.bytes.count,
                    synced: whole.end.sequence))
        } catch {
            if let foreign {
                image.notice(foreign)
                throw .changedExternally(path: path, reason: foreign)
            }
            // It is not certain which of the two files the name holds.
            if image.appends { image.finish(error) }
            throw .io(error)
        }
        if case .finished = before { image.incidents.append(.rewritten) }
        image.external = .none
        noteDevices(image)
        image.nameIsDurable = true
        image.durability.noteWhole()
        image.unwritten = []
        image.pending = false
        image.closed = closed
    }

    /// Why what is under the name has to go to quarantine; nil: it is ours, or nothing.
    private func reasonToPutAside(_ image: ArchiveImage) throws(SaveError) -> String? {
        if case .none = image.external {
            do throws(IOError) {
                if let reason = try archiveNames.displacement() {
                    image.notice(reason)
                } else if let folder = try folder(),
                    let reason = try foreignFile(in: folder, image)
                {
                    image.notice(reason)
                }
            } catch {
                throw .io(error)
            }
        }
        switch image.external {
        case .none: return nil
        case .noticed(let reason): throw .changedExternally(path: path, reason: reason)
        case .condemned(let reason): return reason
        }
    }

    /// Refuses records of which a whole file would be too long to be read again.
    func checkLength(of entries: [ArchiveEntry], reserve: Int = 0) throws(SaveError) {
        let byteCount = ArchiveFormat.largestHeader + entries.byteCount + reserve
        guard byteCount <= limit else {
            throw .tooLarge(path: path, byteCount: byteCount, limit: limit)
        }
    }

    /// Moves what is under the archive's name to quarantine, and a new archive in its place, which
    /// is durable before.
    private func putInPlace(
        _ bytes: [UInt8], in folder: any Folder, because reason: String, of image: ArchiveImage
    ) throws(IOError) -> any FolderFile {
        try folder.remove(Layout.salvaged)
        let file: any FolderFile = try folder.writeNew(Layout.salvaged, bytes)
        try folder.synchronize()
        var quarantined: String?
        if try folder.entryStatus(of: Layout.archive) != nil {
            quarantined = try quarantineForeignFile(Layout.archive, in: folder, because: reason)
        }
        try folder.rename(Layout.salvaged, to: Layout.archive)
        try folder.synchronize()
        image.incidents.append(.changedExternally(reason: reason, quarantinedAs: quarantined))
        return file
    }

    // MARK: Torn ends

    /// Copies a file with a torn end to quarantine, because it is about to go.
    func quarantineTornCopy(_ image: ArchiveImage, in folder: any Folder) throws(IOError) {
        guard let torn = image.torn else { return }
        let leftover = try Quarantine(in: folder).quarantineTornCopy(
            torn.bytes, of: Layout.archive,
            reason: """
                the last \(torn.tail.byteCount) bytes, from byte \(torn.tail.offset) on, were left \
                out: \(torn.tail.reason)
                """)
        image.torn = nil
        if let leftover { image.incidents.append(.leftover(leftover)) }
    }
}
