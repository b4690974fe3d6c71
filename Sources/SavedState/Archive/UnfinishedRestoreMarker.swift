package import LinuxIO

/// Marker file that exists in a state directory while a restore changes the directory.
///
/// The file contains the path of the backup.
///
/// ``StateDirectory/open(_:keys:isForRestore:)`` refuses a state directory that contains this file.
package enum UnfinishedRestoreMarker {
    package static let fileName = "unfinished-restore"
    private static let maximumBytes = 1 << 16

    /// Records durably that a restore is about to change the state directory.
    ///
    /// If an error occurs, the marker file is removed, unless an earlier, interrupted restore has created it.
    package static func begin(_ backupPath: String, in root: Directory) throws(IOError) {
        let isEarlierRestoreUnfinished = try root.entryStatus(of: fileName) != nil
        do throws(IOError) {
            try root.replace(
                fileName, with: Array(backupPath.utf8), temporaryName: "\(fileName).new")
        } catch {
            if !isEarlierRestoreUnfinished {
                do { try root.remove(fileName) } catch {}  // The first error is the one to report.
            }
            throw error
        }
    }

    /// Records that the restore is complete.
    package static func finish(in root: Directory) throws(IOError) {
        try root.remove(fileName)
        // If the file reappears after a power cut, the error at the next startup explains what to do.
        do { try root.synchronize() } catch {}
    }

    /// Returns the path of the backup whose restore was interrupted, or `nil` if the marker file does not exist.
    ///
    /// The path is empty if the marker file cannot be read.
    package static func backupPath(in root: Directory) -> String? {
        do throws(IOError) {
            guard try root.entryStatus(of: fileName) != nil else { return nil }
            let bytes = try root.read(fileName, limit: maximumBytes)
            return String(decoding: bytes ?? [], as: UTF8.self)
        } catch {
            return ""
        }
    }
}
