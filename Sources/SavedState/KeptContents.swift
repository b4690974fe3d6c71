/// What can be used of an archive in quarantine or in the history.
package struct KeptContents: Sendable, Equatable {
    /// Where it lies.
    package var path: String
    /// The state after its last complete pass, or the last one before the damage.
    package var contents: ArchiveContents
    /// A clause that tells what cannot be used of it; nil: all can.
    package var shortfall: String?

    /// What is in memory, which goes under the path of its file.
    package init(path: String, contents: ArchiveContents) {
        self.path = path
        self.contents = contents
    }

    /// Checks every byte of what was read. What is torn or damaged counts up to the last complete pass
    /// before that.
    ///
    /// - Parameter bundleIdentifier: the application that it is to be used for.
    /// - Throws: ``KeptStateError``; what is damaged has no complete pass.
    init(
        _ bytes: [UInt8], path: String, bundleIdentifier: String
    ) throws(KeptStateError) {
        self.path = path
        if case .header(let header, _, _) = ArchiveHeader.parse(bytes),
            header.bundleIdentifier != bundleIdentifier
        {
            throw .foreign(path: path, application: header.bundleIdentifier)
        }
        switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
        case .newer(let version): throw .newerFormat(path: path, version: version)
        case .whole(let prefix):
            contents = prefix.contents
        case .torn(let prefix, let tail):
            contents = prefix.contents
            shortfall = "it is torn at byte \(tail.offset): \(tail.reason)"
        case .damaged(let reason, let offset, let salvaged):
            guard let salvaged else {
                throw .damaged(path: path, reason: "\(reason), at byte \(offset)")
            }
            contents = salvaged.contents
            shortfall = "it is damaged at byte \(offset): \(reason)"
        }
    }
}
