import Encryption
import Glibc
import LinuxIO

/// Detector that compares the file at the archive's path with the files that this process has read or written.
struct ExternalChangeDetector {
    let location: ArchiveLocation
    let knownFiles: KnownFiles
    /// Files to which records are appended.
    let files: [ArchiveFile]
    /// Whether the archive is known to have a file.
    let hasFile: Bool
    /// List of incidents to which read errors are added.
    let incidents: ArchiveIncidents

    /// Returns the reason to treat the file at the archive's path as another program's, or `nil` if the file is ours or
    /// missing.
    func foreignFileReason(in directory: any DirectoryProtocol) throws(IOError) -> String? {
        guard let currentStatus = try directory.status(of: StateDirectoryLayout.archiveFileName)
        else {
            return nil
        }
        guard let knownFile = knownFiles.knownFile(matching: currentStatus) else {
            return "another file is at its path"
        }
        if !files.isEmpty { return nil }
        guard knownFile.hasLength(of: currentStatus) else {
            return "its length changed from \(knownFile.status.size) to \(currentStatus.size) bytes"
        }
        return hasContent(knownFile.content, in: directory) ? nil : "its contents were changed"
    }

    /// Returns the reason why the archive's path no longer refers to the open file.
    ///
    /// - Returns: The reason, or `nil` if the path still refers to the open file or if no file is open.
    func pathChangeReason() throws(IOError) -> String? {
        if files.isEmpty { return nil }
        if let reason = try location.unreachableReason() { return reason }
        guard let directory = try location.openDirectory(),
            try directory.status(of: StateDirectoryLayout.archiveFileName) != nil
        else {
            return "no file is at its path"
        }
        return try foreignFileReason(in: directory)
    }

    /// Checks whether another program has changed, replaced or removed the archive's file.
    ///
    /// - Parameter readingContents: Whether to read the file even if it has the expected length.
    func detectChange(readingContents: Bool) throws(IOError) -> ExternalCheckResult {
        let status = try location.stateDirectory.pathStatus()
        if status == .removed, hasFile { return .removed }
        if let reason = status.unreachableReason { return .unreachable(reason: reason) }
        if try !knownFiles.devices.agree(with: location.devices()) {
            return .unreachable(reason: "a file system was mounted or unmounted there")
        }
        guard let directory = try location.openDirectory() else {
            if try location.isDanglingLink() {
                return .unreachable(
                    reason: "its directory is a symbolic link whose target does not exist")
            }
            return hasFile ? .removed : .unchanged
        }
        guard let entryStatus = try directory.entryStatus(of: StateDirectoryLayout.archiveFileName)
        else {
            return hasFile ? .removed : .unchanged
        }
        var targetStatus: FileStatus?
        do throws(IOError) {
            targetStatus = try directory.status(of: StateDirectoryLayout.archiveFileName)
        } catch {
            guard error.code == ELOOP else { throw error }
        }
        guard let currentStatus = targetStatus else {
            return .unusable(
                reason: "it is a symbolic link whose target does not exist",
                FileFingerprint(entryStatus))
        }
        if let knownFile = knownFiles.knownFile(matching: currentStatus),
            try isUnchanged(
                knownFile, currentStatus, in: directory, readingContents: readingContents)
        {
            return .unchanged
        }
        return try examine(currentStatus, in: directory)
    }

    /// Returns whether a file that this process has read or written is unchanged.
    private func isUnchanged(
        _ knownFile: KnownFiles.KnownFile, _ currentStatus: FileStatus,
        in directory: any DirectoryProtocol,
        readingContents: Bool
    ) throws(IOError) -> Bool {
        if files.isEmpty {
            guard knownFile.hasLength(of: currentStatus) else { return false }
            return !readingContents || hasContent(knownFile.content, in: directory)
        }
        var chainEnd: EncodedRecords.ChainEnd?
        for file in files where try file.file.status().isSameFile(as: currentStatus) {
            guard try file.isUnchanged(currentStatus) else { return false }
            chainEnd = file.end
        }
        guard readingContents else { return true }
        guard let chainEnd,
            let bytes = try directory.read(
                StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes)
        else {
            return false
        }
        return KnownFiles.Content.chain(chainEnd).agrees(with: bytes)
    }

    /// Returns whether the archive's file still has the given contents.
    ///
    /// Call this method only if this process no longer appends to the file. A file that cannot be read is assumed to be
    /// unchanged.
    private func hasContent(_ content: KnownFiles.Content, in directory: any DirectoryProtocol)
        -> Bool
    {
        do throws(IOError) {
            guard
                let bytes = try directory.read(
                    StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes)
            else {
                return false
            }
            return content.agrees(with: bytes)
        } catch {
            incidents.append(.checkFailed(error))
            return true
        }
    }

    private func examine(
        _ currentStatus: FileStatus, in directory: any DirectoryProtocol
    ) throws(IOError) -> ExternalCheckResult {
        func unusable(_ reason: String) -> ExternalCheckResult {
            .unusable(reason: reason, FileFingerprint(currentStatus, nil))
        }
        guard currentStatus.kind == .file else {
            return unusable("it is not a regular file")
        }
        guard currentStatus.size <= location.maximumFileBytes else {
            return unusable(
                "it has \(currentStatus.size) bytes, and the limit is \(location.maximumFileBytes)")
        }
        let bytes: [UInt8]
        do throws(IOError) {
            guard
                let readBytes = try directory.read(
                    StateDirectoryLayout.archiveFileName, limit: location.maximumFileBytes)
            else {
                return .removed
            }
            bytes = readBytes
        } catch  where [EACCES, EPERM, EFBIG].contains(error.code) {
            return unusable(error.description)
        } catch  where error.indicatesMissingKey {
            // The file may be intact, so it is not touched. It is checked again later.
            return .unreachable(reason: error.description)
        }
        return try examine(bytes, currentStatus, in: directory)
    }

    private func examine(
        _ bytes: [UInt8], _ status: FileStatus, in directory: any DirectoryProtocol
    ) throws(IOError) -> ExternalCheckResult {
        func unusable(_ reason: String) -> ExternalCheckResult {
            .unusable(reason: reason, FileFingerprint(status, bytes))
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: location.bundleIdentifier) {
        case .whole(let prefix):
            guard
                let statusAfterRead = try directory.status(
                    of: StateDirectoryLayout.archiveFileName),
                statusAfterRead.isSameFile(as: status),
                statusAfterRead.size == bytes.count
            else { return unusable("it changed while it was being read") }
            return .replaced(
                ReplacementArchive(contents: prefix.contents, bytes: bytes, status: statusAfterRead)
            )
        case .torn(_, let tail):
            return unusable("it is torn at byte \(tail.offset): \(tail.reason)")
        case .damaged(let reason, let offset, _):
            switch Damage.Cause(bytes, bundleIdentifier: location.bundleIdentifier) {
            case .foreign, .empty, .notAnArchive: return unusable(reason)
            case .changedBytes: return unusable("it is damaged at byte \(offset): \(reason)")
            }
        case .newer(let version):
            return unusable(
                "it has format version \(version), which a newer version of the program wrote")
        }
    }
}
