import ExactText
import Glibc
import LinuxIO
import Synchronization

/// Open files of the documents that a running application has read or replaced.
///
/// If another program removes a document, the document is recreated from its open file.
final class OpenDocuments: Sendable {
    /// Maximum number of an application's documents that are kept open.
    private static let maximumCount = 64
    /// Maximum number of documents that are kept open in the process: an eighth of the descriptor limit.
    private static let maximumCountInProcess: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur / 8)
    }()
    private static let countInProcess = Mutex(0)

    private let files = Mutex<[ExactString: any FileProtocol]>([:])

    deinit { closeAll() }

    /// Documents that are kept open, sorted by name.
    var openFiles: [(name: String, file: any FileProtocol)] {
        files.withLock { files in
            files.map { ($0.key.text, $0.value) }.sorted { $0.name < $1.name }
        }
    }

    /// Keeps the file of a document open, and closes the file that was previously open for the document.
    ///
    /// If no file is open for the document and too many documents are open, this method does nothing.
    func keepOpen(_ file: any FileProtocol, as name: String) {
        let name = ExactString(name)
        files.withLock { files in
            if files[name] == nil {
                let hasRoom = Self.countInProcess.withLock { count in
                    if count >= Self.maximumCountInProcess || files.count >= Self.maximumCount {
                        return false
                    }
                    count += 1
                    return true
                }
                guard hasRoom else { return }
            }
            files[name] = file
        }
    }

    /// Closes a document. The document can then no longer be recreated.
    func close(_ name: String) {
        if files.withLock({ $0.removeValue(forKey: ExactString(name)) }) != nil {
            Self.countInProcess.withLock { $0 -= 1 }
        }
    }

    /// Closes all documents.
    func closeAll() {
        let openCount = files.withLock { files in
            defer { files = [:] }
            return files.count
        }
        Self.countInProcess.withLock { $0 -= openCount }
    }
}
