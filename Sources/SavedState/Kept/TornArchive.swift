import LinuxIO

/// An archive with a torn end, which is copied to quarantine before it is replaced.
struct TornArchive {
    var bytes: [UInt8]
    var tail: TornTail

    /// What the reason of such a copy begins with.
    private static let reasonPrefix = "torn tail: "
    /// How many such copies stay: each power cut may make one.
    private static let mostCopies = 16

    /// Keeps a copy, durably, and removes the oldest of such copies.
    ///
    /// - Returns: why the oldest stay, which is no reason to save nothing; nil: they do not.
    func quarantine(in applicationFolder: any Folder) throws(IOError) -> IOError? {
        let quarantine = try NumberedFolder(.quarantine, in: applicationFolder)
        try quarantine.keep(
            bytes, as: Layout.archive,
            because: """
                \(Self.reasonPrefix)the last \(tail.byteCount) bytes, from byte \(tail.offset) on, \
                were left out: \(tail.reason).
                """)
        do throws(IOError) {
            return try quarantine.prune(count: Self.mostCopies, bytes: .max) {
                name throws(IOError) in
                try Self.isCopy(name, in: quarantine.folder)
            }.failure
        } catch {
            return error
        }
    }

    private static func isCopy(_ name: String, in folder: any Folder) throws(IOError) -> Bool {
        guard name.hasSuffix("-\(Layout.archive)"),
            let file = try folder.openForReading(name + NumberedFolder.reasonSuffix)
        else { return false }
        let prefix = Array(reasonPrefix.utf8)
        return try file.read(upTo: prefix.count) == prefix
    }
}
