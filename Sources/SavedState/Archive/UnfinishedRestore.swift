package import LinuxIO

/// File in a state directory from the first to the last change of a restore. It contains the path of the backup.
///
/// ``StateDirectory/open(_:keys:isForRestore:)`` refuses a state directory that has this file.
package enum UnfinishedRestore {
    static let fileName = "unfinished-restore"
    private static let maximumBytes = 1 << 16

    /// Records durably that a restore begins to change the state directory.
    package static func begin(_ backup: String, in root: Directory) throws(IOError) {
        try root.replace(fileName, with: Array(backup.utf8), temporary: "\(fileName).new")
    }

    /// Records durably that the restore is complete.
    package static func finish(in root: Directory) throws(IOError) {
        try root.remove(fileName)
        try root.synchronize()
    }

    /// Path of the backup whose restore was interrupted, or `nil` if there is none.
    static func backup(in root: Directory) throws(IOError) -> String? {
        try root.read(fileName, limit: maximumBytes).map { String(decoding: $0, as: UTF8.self) }
    }
}
