import LinuxIO
import Synchronization

/// Makes one file durable, for any thread, until that has failed once.
///
/// Linux tells of a failed sync once: the next one succeeds, whoever calls it, and what was lost stays
/// lost.
final class SyncLatch: Sendable {
    private let failure = Mutex<IOError?>(nil)

    /// Returns when the file's content is durable; once that has failed it always does.
    func synchronize(_ file: any FolderFile) throws(IOError) {
        let failure = failure.withLock { failure in
            if failure == nil {
                do throws(IOError) { try file.synchronizeData() } catch { failure = error }
            }
            return failure
        }
        if let failure { throw failure }
    }
}
