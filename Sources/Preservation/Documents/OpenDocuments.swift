import ExactText
import LinuxIO
import Synchronization

/// Documents that a program has read or replaced, held open so that a document whose name another program removes can
/// be written again.
final class OpenDocuments: Sendable {
    /// Maximum number of documents that are held open. Further documents are not.
    private static let maximumCount = 64

    private let files = Mutex<[ExactString: any FolderFile]>([:])

    /// Holds a document open, in the place of an earlier file of its name.
    func hold(_ file: any FolderFile, as name: String) {
        files.withLock { files in
            let name = ExactString(name)
            if files.count < Self.maximumCount || files[name] != nil { files[name] = file }
        }
    }

    /// Documents whose names are not among those of the directory, with their files.
    func missing(from names: [String]) -> [(name: String, file: any FolderFile)] {
        let present = Set(names.map { ExactString($0) })
        return files.withLock { files in
            files.filter { !present.contains($0.key) }.map { ($0.key.text, $0.value) }
                .sorted { $0.name < $1.name }
        }
    }
}
