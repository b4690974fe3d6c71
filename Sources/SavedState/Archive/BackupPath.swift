/// Path of a file in a backup. A backup has the same layout as a state directory.
package enum BackupPath: Sendable {
    /// Archive of the application with the given bundle identifier.
    case archive(of: String)
    /// Document of the application with the given bundle identifier.
    case document(String, of: String)

    /// Directories that contain one entry per application.
    ///
    /// An entry's name is the bundle identifier followed by the suffix.
    package static let directories = [
        (
            name: StateDirectoryLayout.applicationsDirectoryName,
            suffix: StateDirectoryLayout.directorySuffix
        ),
        (name: StateDirectoryLayout.documentsDirectoryName, suffix: ""),
    ]
    /// File name of an archive.
    package static let archiveName = StateDirectoryLayout.archiveFileName

    /// Bundle identifier of the application.
    package var bundleIdentifier: String {
        switch self {
        case .archive(let bundleIdentifier), .document(_, let bundleIdentifier): bundleIdentifier
        }
    }

    /// Parses a path, or returns `nil` if a backup cannot contain a file with this path.
    package init?(_ path: String) {
        let pathComponents = path.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        )
        .map { String(Substring($0)) }
        guard pathComponents.count == 3, pathComponents.allSatisfy(Self.isValidName) else {
            return nil
        }
        if pathComponents[0].utf8.elementsEqual(StateDirectoryLayout.documentsDirectoryName.utf8) {
            self = .document(pathComponents[2], of: pathComponents[1])
            return
        }
        let suffix = StateDirectoryLayout.directorySuffix.utf8
        guard
            pathComponents[0].utf8.elementsEqual(
                StateDirectoryLayout.applicationsDirectoryName.utf8),
            pathComponents[1].utf8.suffix(suffix.count).elementsEqual(suffix),
            let bundleIdentifier = String(pathComponents[1].utf8.dropLast(suffix.count)),
            pathComponents[2].utf8.elementsEqual(StateDirectoryLayout.archiveFileName.utf8),
            Self.isValidName(bundleIdentifier)
        else { return nil }
        self = .archive(of: bundleIdentifier)
    }

    private static func isValidName(_ name: String) -> Bool {
        let first = name.utf8.first
        return first != nil && first != UInt8(ascii: ".")
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
