import ExactText
import Glibc
import LinuxIO
package import StateRecords

extension ApplicationArchive {
    /// Reads the file, checks every byte, and replaces the state in memory.
    ///
    /// A damaged file is moved to quarantine and replaced with a new archive. The new archive contains the passes
    /// before the damage, or the newest generation if it is newer than these passes. If neither exists, the new archive
    /// contains the intact objects (L5). A torn end remains in the file until the next save. After an error, nothing
    /// can be saved until a load succeeds.
    ///
    /// - Parameter referencedNameNumbers: Closure that returns the numbers of the names to which an object's values refer, or
    ///   `nil` if the values are invalid. When individual objects are salvaged, objects that use a damaged name are
    ///   omitted.
    package func load(
        referencedNameNumbers: @escaping (ObjectRecord) -> [UInt32]? = { _ in [] }
    ) throws(LoadError) -> LoadOutcome {
        do throws(IOError) { try log.cancelCompaction() } catch {}
        do throws(LoadError) {
            return try location.readFiles { () throws(LoadError) in
                try readFile(referencedNameNumbers)
            }
        } catch {
            markLoadFailed(error)
            throw error
        }
    }

    /// Archive file that has been opened and read.
    private struct OpenedArchive {
        var bytes: [UInt8]
        var status: FileStatus
        /// The open file, or the error that prevented the file from being opened for appending.
        var file: Result<any FileProtocol, IOError>
    }

    private func readFile(
        _ referencedNameNumbers: (ObjectRecord) -> [UInt32]?
    ) throws(LoadError) -> LoadOutcome {
        let (openedArchive, isLink) = try LoadError.wrapping {
            () throws(IOError) -> (OpenedArchive?, Bool) in
            guard let directory = try location.openDirectory() else {
                if try !location.isDanglingLink() { return (nil, false) }
                throw IOError(.openDirectory, path: path, code: ENOENT)
            }
            let openedArchive = try findArchive(in: directory)
            return (
                openedArchive,
                try directory.entryStatus(of: StateDirectoryLayout.archiveFileName)?.kind == .link
            )
        }
        guard let openedArchive else {
            markLoaded(ObjectStore(), ArchiveLog(at: location))
            return .none
        }
        if isLink { throw .link(path: path) }
        switch ArchiveReader.read(openedArchive.bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version):
            throw .newerFormat(path: path, version: version)
        case .whole(let prefix):
            markLoaded(prefix.store, makeLog(of: prefix, openedArchive))
            removeLeftovers(archiveHeader: ArchiveHeader(openedArchive.bytes))
            return .loaded(isClosed: prefix.isClosed, tornTail: nil)
        case .torn(let prefix, let tail):
            markLoaded(
                prefix.store, makeLog(of: prefix, openedArchive),
                tornArchive: TornArchive(bytes: openedArchive.bytes, tail: tail))
            removeLeftovers(archiveHeader: ArchiveHeader(openedArchive.bytes))
            return .loaded(isClosed: false, tornTail: tail)
        case .damaged(let reason, let offset, let salvaged):
            let damage = Damage(
                reason: reason, offset: offset,
                cause: Damage.Cause(openedArchive.bytes, bundleIdentifier: bundleIdentifier),
                quarantinePath: "")
            return try LoadError.wrapping(
                try quarantine(
                    openedArchive.bytes, damage, prefixBeforeDamage: salvaged, referencedNameNumbers
                ))
        }
    }

    /// Removes files that an interrupted save or compaction left next to the archive.
    ///
    /// Files that cannot be removed are harmless, and are reported as an ``ArchiveIncident``.
    ///
    /// - Parameter header: Header of the archive, or `nil` if it is unknown.
    func removeLeftovers(archiveHeader header: ArchiveHeader?) {
        do throws(IOError) {
            guard let directory = try location.openDirectory() else { return }
            if try directory.status(of: StateDirectoryLayout.salvagedArchiveName) != nil {
                try NumberedFileDirectory(.quarantine, in: directory).move(
                    StateDirectoryLayout.salvagedArchiveName,
                    as: StateDirectoryLayout.salvagedArchiveName,
                    because:
                        "It was written to replace the archive, but another archive exists."
                )
            }
            try directory.remove(StateDirectoryLayout.temporaryArchiveName)
            try CompactionLeftover(directory: directory).removeOrQuarantine(archiveHeader: header)
        } catch {
            log.incidents.append(.cleanupFailed(error))
        }
    }

    /// Returns the log for a file that has been read. Records are appended to the file only if it is writable, was
    /// closed, and has no other names.
    private func makeLog(of prefix: ArchiveReader.Prefix, _ openedArchive: OpenedArchive)
        -> ArchiveLog
    {
        let log = ArchiveLog(at: location, end: prefix.end, isClosed: prefix.isClosed)
        log.recordDevices()
        switch openedArchive.file {
        case .success(let file) where prefix.isClosed && openedArchive.status.linkCount < 2:
            log.beginAppending(
                to: ArchiveFile(
                    file: file, path: path, end: prefix.end, byteCount: prefix.byteCount,
                    syncedSequence: 0),
                openedArchive.status)
        case .success, .failure:
            log.adoptInheritedFile(openedArchive.status, openedArchive.bytes)
            if openedArchive.status.linkCount > 1 { log.incidents.append(.hasHardLinks) }
            if case .failure = openedArchive.file { log.abandonFile() }
        }
        // The file may not be durable, because the process that wrote the file may have been killed before the sync,
        // even during an orderly shutdown.
        log.durability.recordWrite()
        return log
    }

    /// Opens and reads the file, after completing any interrupted salvage.
    private func findArchive(in directory: some DirectoryProtocol) throws(IOError) -> OpenedArchive?
    {
        if let openedArchive = try openArchive(in: directory) { return openedArchive }
        guard
            let salvaged = try directory.read(
                StateDirectoryLayout.salvagedArchiveName, limit: location.maximumFileBytes)
        else {
            // A broken symbolic link does not count as missing state, because its target may be on a disk that is
            // mounted later.
            if try directory.names().contains(StateDirectoryLayout.archiveFileName) {
                throw IOError(.open, path: path, code: ENOENT)
            }
            return nil
        }
        guard case .whole = ArchiveReader.read(salvaged, bundleIdentifier: bundleIdentifier) else {
            // The file is incomplete, so the salvage had not begun to replace the archive.
            try directory.remove(StateDirectoryLayout.salvagedArchiveName)
            return nil
        }
        try location.synchronize()
        try directory.rename(
            StateDirectoryLayout.salvagedArchiveName, to: StateDirectoryLayout.archiveFileName)
        try directory.synchronize()
        return try openArchive(in: directory)
    }

    private func openArchive(in directory: some DirectoryProtocol) throws(IOError) -> OpenedArchive?
    {
        do throws(IOError) {
            guard let file = try directory.openForAppending(StateDirectoryLayout.archiveFileName)
            else {
                return nil
            }
            let status = try file.status()
            guard status.kind == .file else {
                throw IOError(.read, path: path, code: EINVAL)
            }
            guard status.size <= location.maximumFileBytes else {
                throw IOError(.read, path: path, code: EFBIG)
            }
            return OpenedArchive(
                bytes: try file.read(upTo: status.size), status: status, file: .success(file))
        } catch  where [EACCES, EPERM, EROFS, EKEYEXPIRED].contains(error.code) {
            // A file that cannot be written, or that is encrypted differently from new files, can still be
            // read.
            guard
                let bytes = try directory.read(
                    StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes),
                let status = try directory.status(of: StateDirectoryLayout.archiveFileName)
            else { return nil }
            return OpenedArchive(bytes: bytes, status: status, file: .failure(error))
        }
    }

    /// Moves the damaged file to quarantine and replaces it with the salvaged state.
    ///
    /// The salvaged state is written durably under a different name before the damaged file is moved. At least one of
    /// the two files therefore always exists.
    ///
    /// - Parameter prefixBeforeDamage: State after the last pass before the damage.
    private func quarantine(
        _ bytes: [UInt8], _ detectedDamage: Damage, prefixBeforeDamage: ArchiveReader.Prefix?,
        _ referencedNameNumbers: (ObjectRecord) -> [UInt32]?
    ) throws(IOError) -> LoadOutcome {
        var damage = detectedDamage
        // The directory is not opened with `openOrCreateDirectory()`, which would remove the file of an interrupted
        // save. That file may contain the newest state.
        guard let directory = try location.openDirectory() else {
            throw IOError(.openDirectory, path: path, code: ENOENT)
        }
        try location.synchronize()
        var (usablePrefix, salvageSourcePath) = try newestUsableState(
            of: prefixBeforeDamage, in: directory)
        if usablePrefix == nil,
            let salvage = ArchiveSalvage(
                bytes, bundleIdentifier: bundleIdentifier,
                referencedNameNumbers: referencedNameNumbers)
        {
            usablePrefix = salvage.prefix
            damage.salvageReport = salvage.damage
        }
        let log = ArchiveLog(at: location, end: usablePrefix?.end)
        log.highestSequence = max(log.highestSequence, prefixBeforeDamage?.end.sequence ?? 0)
        damage.quarantinePath = try quarantineDamagedFile(
            damage, in: directory, replacingWith: usablePrefix?.store, log)
        markLoaded(usablePrefix?.store ?? ObjectStore(), log)
        damage.salvagedContents = usablePrefix?.contents
        damage.salvageSourcePath = salvageSourcePath
        return .damaged(damage)
    }

    /// Moves the damaged file to quarantine. If any state is usable, puts a new archive in its place.
    ///
    /// - Parameters:
    ///   - store: Usable state, or `nil` if no state is usable.
    ///   - log: Log for the new archive.
    /// - Returns: Path of the damaged file in quarantine.
    private func quarantineDamagedFile(
        _ damage: Damage, in directory: any DirectoryProtocol, replacingWith store: ObjectStore?,
        _ log: ArchiveLog
    ) throws(IOError) -> String {
        var file: ArchiveFile?
        if let store {
            let newFile = log.encodeNewFile(store.allRecords())
            file = ArchiveFile(
                try directory.replace(
                    StateDirectoryLayout.salvagedArchiveName, with: newFile.bytes,
                    temporaryName: StateDirectoryLayout.temporaryArchiveName),
                path: path, newFile)
        } else {
            try directory.remove(StateDirectoryLayout.salvagedArchiveName)
        }
        let quarantinedFile = try NumberedFileDirectory(.quarantine, in: directory).move(
            StateDirectoryLayout.archiveFileName, as: StateDirectoryLayout.archiveFileName,
            because:
                "The archive is damaged at byte \(damage.offset): \(damage.reason); "
                + "\(damage.cause.remedy).")
        if let file {
            try directory.rename(
                StateDirectoryLayout.salvagedArchiveName, to: StateDirectoryLayout.archiveFileName)
            try directory.synchronize()
            log.beginAppending(to: file, try file.file.status())
            log.recordDevices()
        }
        return quarantinedFile.path
    }

    /// Returns the newest usable state and the path of its file. The path is `nil` if the state comes from the archive
    /// itself.
    ///
    /// The candidates are the part of the archive before the damage, a file from an interrupted save, and the newest
    /// usable generation.
    private func newestUsableState(
        of salvaged: ArchiveReader.Prefix?, in directory: any DirectoryProtocol
    ) throws(IOError) -> (ArchiveReader.Prefix?, path: String?) {
        var newestState: (ArchiveReader.Prefix?, path: String?) = (salvaged, nil)
        func considerCandidate(_ prefix: ArchiveReader.Prefix, _ path: String) {
            if prefix.end.sequence > newestState.0?.end.sequence ?? 0 {
                newestState = (prefix, path)
            }
        }
        if let bytes = try directory.read(
            StateDirectoryLayout.salvagedArchiveName, limit: location.maximumFileBytes),
            case .whole(let prefix) = ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier)
        {
            considerCandidate(
                prefix, "\(directory.path)/\(StateDirectoryLayout.salvagedArchiveName)")
        }
        do throws(IOError) {
            let generation = try NumberedFileDirectory(.history, existingIn: directory)?
                .newestUsableGeneration(
                    limit: location.maximumFileBytes, bundleIdentifier: bundleIdentifier)
            if let generation { considerCandidate(generation.prefix, generation.path) }
        } catch  where error.indicatesUnusableDirectory {
            // The history is left in place, and its generations can be restored when it is readable again.
        }
        return newestState
    }
}
