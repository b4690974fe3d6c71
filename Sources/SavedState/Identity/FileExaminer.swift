import Encryption
import Glibc
import LinuxIO

/// Examiner that compares the file under the archive's name with the files that this process knows.
struct FileExaminer {
    let place: ArchivePlace
    let identity: FileIdentity
    /// Files to which records are appended.
    let files: [ArchiveFile]
    /// Whether the archive is known to have a file.
    let hasFile: Bool
    /// Incidents, to which read errors are added.
    let incidents: ArchiveIncidents

    /// Returns why the file under the archive's name belongs to another program, or `nil` if it is our own or missing.
    func foreignFile(in folder: any Folder) throws(IOError) -> String? {
        guard let there = try folder.status(of: Layout.archive) else { return nil }
        guard let ours = identity.file(like: there) else { return "another file is at its path" }
        if !files.isEmpty { return nil }
        guard ours.hasLength(of: there) else {
            return "its length changed from \(ours.status.size) to \(there.size) bytes"
        }
        return holds(ours.content, in: folder) ? nil : "its contents were changed"
    }

    /// Returns why the archive's name no longer refers to the open file, or `nil` if it still refers to the file.
    func changedName() throws(IOError) -> String? {
        if files.isEmpty { return nil }
        if let reason = try place.displacement() { return reason }
        guard let folder = try place.folder(), try folder.status(of: Layout.archive) != nil else {
            return "no file is at its path"
        }
        return try foreignFile(in: folder)
    }

    /// Checks which file has the archive's name.
    ///
    /// - Parameter closely: Whether to read the file even if its length is as expected.
    func find(closely: Bool) throws(IOError) -> ExternalFinding {
        let status = try place.stateFolder.pathStatus()
        if status == .removed, hasFile { return .removed }
        if let reason = status.displacement { return .elsewhere(reason: reason) }
        if try !identity.devices.agree(with: place.devices()) {
            return .elsewhere(reason: "a file system was mounted or unmounted there")
        }
        guard let folder = try place.folder() else {
            if try place.isLinkToNowhere() {
                return .elsewhere(
                    reason: "its directory is a symbolic link whose target does not exist")
            }
            return hasFile ? .removed : .ours
        }
        guard let entry = try folder.entryStatus(of: Layout.archive) else {
            return hasFile ? .removed : .ours
        }
        var target: FileStatus?
        do throws(IOError) {
            target = try folder.status(of: Layout.archive)
        } catch {
            guard entry.kind == .link, error.code == ELOOP else { throw error }
        }
        guard let there = target else {
            return .unusable(
                reason: "it is a symbolic link whose target does not exist", FileFingerprint(entry))
        }
        if let ours = identity.file(like: there),
            try isUnchanged(ours, there, in: folder, closely: closely)
        {
            return .ours
        }
        return try examine(there, in: folder)
    }

    /// Returns whether a known file is unchanged.
    private func isUnchanged(
        _ ours: FileIdentity.KnownFile, _ there: FileStatus, in folder: any Folder, closely: Bool
    ) throws(IOError) -> Bool {
        if files.isEmpty {
            guard ours.hasLength(of: there) else { return false }
            return !closely || holds(ours.content, in: folder)
        }
        var end: ArchiveEncoder.ChainEnd?
        for file in files where try file.file.status().isSameFile(as: there) {
            guard try file.isUnchanged(there) else { return false }
            end = file.end
        }
        guard closely else { return true }
        guard let end, let bytes = try folder.read(Layout.archive, limit: place.limit) else {
            return false
        }
        return FileIdentity.Content.chain(end).agrees(with: bytes)
    }

    /// Returns whether a file that is no longer appended to still has the given contents.
    ///
    /// A file that cannot be read is assumed to be unchanged.
    private func holds(_ content: FileIdentity.Content, in folder: any Folder) -> Bool {
        do throws(IOError) {
            guard let bytes = try folder.read(Layout.archive, limit: place.limit) else {
                return false
            }
            return content.agrees(with: bytes)
        } catch {
            incidents.append(.notLookedAt(error))
            return true
        }
    }

    private func examine(
        _ there: FileStatus, in folder: any Folder
    ) throws(IOError) -> ExternalFinding {
        func unusable(_ reason: String, _ bytes: [UInt8]? = nil) -> ExternalFinding {
            .unusable(reason: reason, FileFingerprint(there, bytes))
        }
        guard there.kind == .file else {
            return unusable("it is not a regular file")
        }
        guard there.size <= place.limit else {
            return unusable("it has \(there.size) bytes, and the limit is \(place.limit)")
        }
        let bytes: [UInt8]
        do throws(IOError) {
            guard let found = try folder.read(Layout.archive, limit: place.limit) else {
                return .removed
            }
            bytes = found
        } catch  where [EACCES, EPERM, EFBIG].contains(error.code) {
            return unusable(error.description)
        } catch  where error.lacksKey {
            // The file may be intact, so it is not touched, and is checked again later.
            return .elsewhere(reason: error.description)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: place.bundleIdentifier) {
        case .whole(let prefix):
            guard let now = try folder.status(of: Layout.archive), now.isSameFile(as: there),
                now.size == bytes.count
            else { return unusable("it changed while it was being read", bytes) }
            return .replaced(
                ReplacingArchive(contents: prefix.contents, bytes: bytes, status: now))
        case .torn(_, let tail):
            return unusable("it is torn at byte \(tail.offset): \(tail.reason)", bytes)
        case .damaged(let reason, let offset, _):
            switch Damage.Cause(bytes, bundleIdentifier: place.bundleIdentifier) {
            case .foreign, .empty, .noArchive: return unusable(reason, bytes)
            case .bytes: return unusable("it is damaged at byte \(offset): \(reason)", bytes)
            }
        case .newer(let version):
            return unusable(
                "it has format version \(version), which a newer version of the program wrote",
                bytes)
        }
    }
}
