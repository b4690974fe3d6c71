import Glibc
package import LinuxIO

// What other programs do to the file (L4, L8).

extension ApplicationArchive {
    /// Whether another program changed the file, or took its name, and what is to become of that is
    /// not decided yet. Nothing is written until it is.
    package var isChangedExternally: Bool {
        if case .loaded(let image) = phase, case .noticed = image.external { true } else { false }
    }

    /// Looks what stands under the archive's name now.
    ///
    /// Whatever is not ours is noticed: nothing is written then before ``acceptReplacement(_:)``,
    /// ``quarantineOnNextWrite()`` or ``forget()`` decides over it.
    ///
    /// - Parameter closely: whether a program has had a file of this name open for writing: a file of
    ///   the right length is read then, too.
    /// - Returns: what was found; always ``ExternalFinding/ours`` before a load succeeded.
    /// - Throws: why it could not be found out. What was noticed before stays so.
    package func look(closely: Bool) throws(IOError) -> ExternalFinding {
        guard case .loaded(let image) = phase else { return .ours }
        var isNoticed = false
        if case .noticed = image.external { isNoticed = true }
        // A compaction gives the name to another file, on a thread of its own.
        if isNoticed { try stopCompaction(of: image) }
        var finding = try find(image, closely: closely || isNoticed)
        if finding != .ours, !isNoticed {
            try stopCompaction(of: image)
            finding = try find(image, closely: true)
        }
        // It was quarantined, but nothing has its name yet.
        if finding == .removed, case .condemned = image.external { return .ours }
        switch finding {
        case .ours: image.external = .none
        case .removed: image.notice("its name is gone")
        case .elsewhere(let reason):
            // What was to be quarantined is not there to be.
            image.external = .none
            image.notice(reason)
        case .unusable(let reason, _): image.notice(reason)
        case .replaced: image.notice("another archive took its place")
        }
        return finding
    }

    /// A file that was noticed gives way to what is in memory with the next write, into which its
    /// contents were taken.
    ///
    /// - Throws: ``SaveError/changedExternally(path:reason:)`` if it is another one by now, which has to be
    ///   looked at; nothing has changed then.
    package func acceptReplacement(_ replacing: ReplacingArchive) throws(SaveError) {
        let image = try loadedImage()
        let isThere: Bool
        do throws(IOError) {
            isThere = try self.isThere(replacing)
        } catch {
            throw .io(error)
        }
        guard isThere else {
            throw .changedExternally(path: path, reason: "it changed again while it was read")
        }
        try requireWholeFile()
        image.known.removeAll { $0.isSameFile(as: replacing.status) }
        image.known.append(replacing.status)
        image.external = .none
    }

    /// Whether the name still stands for a replacing archive, as it was read.
    package func isThere(_ replacing: ReplacingArchive) throws(IOError) -> Bool {
        try folder()?.status(of: Layout.archive) == replacing.status
    }

    /// The next write is of a whole file, in the place of the one that is appended to.
    package func requireWholeFile() throws(SaveError) {
        let image = try loadedImage()
        try cancelCompaction(of: image)
        if image.appends { image.finish(IOError(.rename, path: path, code: ESTALE)) }
        image.pending = true
    }

    /// What was accepted could not be taken over: it is as if it had just been noticed, and nothing is
    /// written over it.
    package func refuseReplacement(_ replacing: ReplacingArchive) {
        guard case .loaded(let image) = phase else { return }
        image.known.removeAll { $0.isSameFile(as: replacing.status) }
        image.external = .noticed(reason: "another archive took its place")
    }

    /// What was noticed goes to quarantine with the next write, and what is in memory takes its place.
    package func quarantineOnNextWrite() {
        guard case .loaded(let image) = phase, case .noticed(let reason) = image.external else {
            return
        }
        image.external = .condemned(reason: reason)
        image.pending = true
    }

    /// Keeps the bytes of a replacing archive in quarantine; returns their path. Durable on return.
    ///
    /// - Parameter reason: a sentence.
    package func quarantine(
        _ replacing: ReplacingArchive, reason: String
    ) throws(IOError) -> String {
        try Quarantine(in: openOrMakeFolder()).keep(
            replacing.bytes, of: Layout.archive, reason: reason)
    }

    /// Forgets what is in memory, because its file was removed (L4): nothing is written before
    /// something is appended.
    package func forget() {
        guard case .loaded(let image) = phase else { return }
        do throws(SaveError) { try cancelCompaction(of: image) } catch {}
        phase = .loaded(ArchiveImage(after: image))
    }

    // MARK: Looking

    private func stopCompaction(of image: ArchiveImage) throws(IOError) {
        do throws(SaveError) {
            try cancelCompaction(of: image)
        } catch {
            guard case .io(let error) = error else { return }
            throw error
        }
    }

    private func find(
        _ image: ArchiveImage, closely: Bool
    ) throws(IOError) -> ExternalFinding {
        let standing = try archiveNames.stateFolder.standing()
        if standing == .removed, image.hasFile { return .removed }
        if let reason = standing.displacement { return .elsewhere(reason: reason) }
        if try !image.devices.agree(with: archiveNames.devices()) {
            return .elsewhere(reason: "a file system was mounted or unmounted there")
        }
        guard let folder = try folder() else {
            if try isLinkToNowhere() {
                return .elsewhere(reason: "its folder is a symbolic link that leads nowhere")
            }
            return image.hasFile ? .removed : .ours
        }
        guard let entry = try folder.entryStatus(of: Layout.archive) else {
            return image.hasFile ? .removed : .ours
        }
        guard let there = try target(of: entry, in: folder) else {
            return .unusable(reason: "it is a symbolic link that leads nowhere", entry)
        }
        if let ours = image.known.last(where: { $0.isSameFile(as: there) }),
            try isUnchanged(image, ours, there, in: folder, closely: closely)
        {
            return .ours
        }
        return try examine(there, in: folder)
    }

    /// What a name stands for; nil: it is a link that leads nowhere.
    private func target(
        of entry: FileStatus, in folder: any Folder
    ) throws(IOError) -> FileStatus? {
        do throws(IOError) {
            return try folder.status(of: Layout.archive)
        } catch  where entry.kind == .link && error.code == ELOOP {
            return nil
        }
    }

    /// Whether a file that is known holds what it did.
    private func isUnchanged(
        _ image: ArchiveImage, _ ours: FileStatus, _ there: FileStatus, in folder: any Folder,
        closely: Bool
    ) throws(IOError) -> Bool {
        if !image.appends { return image.isUnchanged(ours, there, closely: closely) }
        var end: ArchiveEncoder.ChainEnd?
        for file in image.files where try file.file.status().isSameFile(as: there) {
            guard there.size == file.byteCount else { return false }
            end = file.end
        }
        guard closely else { return true }
        guard let bytes = try folder.read(Layout.archive, limit: limit),
            case .whole(let prefix) = ArchiveReader.read(
                bytes, bundleIdentifier: bundleIdentifier)
        else { return false }
        return prefix.end == end
    }

    private func examine(
        _ there: FileStatus, in folder: any Folder
    ) throws(IOError) -> ExternalFinding {
        guard there.mode & S_IFMT == S_IFREG else {
            return .unusable(reason: "something that is no file has its name", there)
        }
        guard there.size <= limit else {
            return .unusable(
                reason: "it has \(there.size) bytes, and \(limit) is the most", there)
        }
        let bytes: [UInt8]
        do throws(IOError) {
            guard let found = try folder.read(Layout.archive, limit: limit) else { return .removed }
            bytes = found
        } catch  where [EACCES, EPERM, EFBIG].contains(error.code) {
            return .unusable(reason: error.description, there)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .whole(let prefix):
            guard try folder.status(of: Layout.archive) == there else {
                return .unusable(reason: "it changes while it is read", there)
            }
            return .replaced(
                ReplacingArchive(contents: prefix.contents, bytes: bytes, status: there))
        case .torn(_, let tail):
            return .unusable(reason: "it is torn at byte \(tail.offset): \(tail.reason)", there)
        case .damaged(let reason, let offset, _):
            switch Damage.Cause(bytes, bundleIdentifier: bundleIdentifier) {
            case .foreign, .empty, .noArchive: return .unusable(reason: reason, there)
            case .bytes:
                return .unusable(reason: "it is damaged at byte \(offset): \(reason)", there)
            }
        case .newer(let version):
            return .unusable(
                reason: "it has format \(version), which a newer version of the program wrote",
                there)
        }
    }
}
