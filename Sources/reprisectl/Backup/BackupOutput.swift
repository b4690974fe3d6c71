import FoundationEssentials
import RepriseControl
import SavedState
import TerminalText

extension [String] {
    /// Text with the first 20 sentences, one per line, followed by the number of remaining sentences.
    var abridgedLines: String {
        let maximumSentenceCount = 20
        let omissionNotice =
            count > maximumSentenceCount ? ["and \(count - maximumSentenceCount) more"] : []
        return (prefix(maximumSentenceCount) + omissionNotice).joined(separator: "\n")
    }
}

extension Failure {
    /// Creates a failure from an error during a backup or a restore.
    init(_ failure: BackupFailure) {
        switch failure.kind {
        case .targetExists, .notABackup, .overlapping:
            self.init(failure.description, status: .usage)
        case .unexpectedPart:
            self.init(
                "the daemon sent an unexpected part of the file '\(failure.path.printable)': the daemon and "
                    + "reprisectl may have different versions.", status: .noDaemon)
        case .undecryptable: self.init(failure.description, status: .wrongKey)
        case .damaged, .otherRestoreUnfinished, .notRestored, .restoreUnfinished:
            self.init(failure.description)
        }
    }
}

extension BackupWriter {
    /// Writes a part of a file, as received from the daemon.
    ///
    /// - Throws: `BackupFailure` if the part is invalid or out of order, or `IOError` if it cannot be written.
    func write(_ part: BackupCall.Reply) throws {
        guard let path = part.path, let bytes = Data(base64Encoded: part.data) else {
            throw BackupFailure(.unexpectedPart, at: part.path ?? "", "")
        }
        try write(Array(bytes), of: path, at: part.offset, byteCount: part.bytes)
    }
}

extension InstalledApplication {
    /// Prints the result of the restore.
    func print() {
        Terminal.print(
            hasState
                ? "\(bundleIdentifier): restored"
                : "\(bundleIdentifier): documents restored; the backup contains no saved state of the application"
        )
        if let generationPath {
            Terminal.print("  the previous state is in the history as \(generationPath)")
        }
        if let replacedDocumentsPath {
            Terminal.print("  the previous documents are in \(replacedDocumentsPath)")
        }
    }

    /// The result as JSON.
    var json: StateJSON {
        let paths = ["generation": generationPath, "replacedDocuments": replacedDocumentsPath]
        return .object(
            paths.compactMapValues { $0.map(StateJSON.string) }
                .merging(["application": .string(bundleIdentifier)]) { $1 })
    }
}
