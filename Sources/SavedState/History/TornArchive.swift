import LinuxIO

/// Archive with a torn end. It must be copied to quarantine before it is replaced.
struct TornArchive {
    var bytes: [UInt8]
    var tail: TornTail

    /// Beginning of the reason for the quarantine of a torn archive.
    private static let reasonPrefix = "torn tail: "
    /// Maximum number of copies of torn archives. Each power cut may lead to one copy.
    private static let maximumTornCopies = 16

    /// Copies the archive to quarantine durably, and removes the oldest copies of torn archives if there are too many.
    ///
    /// - Returns: Error that prevented the removal of old copies, or `nil` if there was no error. The archive can be
    ///   saved despite this error.
    func quarantine(in applicationDirectory: any DirectoryProtocol) throws(IOError) -> IOError? {
        let quarantine = try NumberedFileDirectory(.quarantine, in: applicationDirectory)
        try quarantine.store(
            bytes, as: StateDirectoryLayout.archiveFileName,
            because: """
                \(Self.reasonPrefix)the last \(tail.byteCount) bytes, from byte \(tail.offset) on, \
                were ignored: \(tail.reason).
                """)
        do throws(IOError) {
            return try quarantine.prune(count: Self.maximumTornCopies, bytes: .max) {
                name throws(IOError) in
                try Self.isTornCopy(name, in: quarantine.directory)
            }.failure
        } catch {
            return error
        }
    }

    private static func isTornCopy(_ name: String, in directory: any DirectoryProtocol)
        throws(IOError)
        -> Bool
    {
        guard name.hasSuffix("-\(StateDirectoryLayout.archiveFileName)"),
            let file = try directory.openForReading(name + NumberedFileDirectory.reasonSuffix)
        else { return false }
        let prefix = Array(reasonPrefix.utf8)
        return try file.read(upTo: prefix.count) == prefix
    }
}
