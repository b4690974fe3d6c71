import Glibc
package import SystemPackage

/// Error from a system call, with the path of the affected file or directory.
///
/// A missing file is not an error if the operation does not require the file.
package struct IOError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Operation that failed. The raw value completes the sentence "Cannot …".
    package enum Operation: String, Sendable {
        case openDirectory = "open the directory"
        case createDirectory = "create the directory"
        case list = "list the directory"
        case synchronizeDirectory = "sync the directory"
        case lock = "lock the directory"
        case open = "open"
        case create = "create"
        case read = "read"
        case decrypt = "decrypt"
        case rewrite
        case write = "write to"
        case synchronize = "sync"
        case truncate = "shorten"
        case rename = "rename"
        case remove = "remove"
        case status = "examine"
        case becomeOwner = "continue as the owner of"
    }

    /// Operation that failed.
    package var operation: Operation
    /// Path of the affected file or directory.
    package var path: String
    /// Reason for the error (see errno(3)).
    package var errno: Errno
    /// Details of the reason, such as the missing key, or `nil` if there are no details.
    package var detail: String?

    /// Creates an error from an error number (see errno(3)).
    package init(_ operation: Operation, path: String, code: CInt, detail: String? = nil) {
        self.operation = operation
        self.path = path
        self.errno = Errno(rawValue: code)
        self.detail = detail
    }

    /// Error number, for example for `ERRNO=` in sd_notify(3).
    package var code: CInt { errno.rawValue }

    /// Sentence that states the operation, the path, the cause and the remedy.
    package var description: String {
        "Cannot \(operation.rawValue) '\(path)': \(cause)\(detail.map { " (\($0))" } ?? ""); \(advice)."
    }

    private var cause: String {
        switch (operation, code) {
        // File types are checked before reading, because reading from a FIFO would block.
        case (.read, EINVAL): "it is not a regular file"
        // Limits on the sizes of files and directories are checked before reading.
        case (.read, EFBIG): "it is too large to be read"
        case (.list, EFBIG): "it has too many entries"
        default: errno.description
        }
    }

    private var advice: String {
        operation == .decrypt ? decryptionAdvice : errnoAdvice
    }

    private var decryptionAdvice: String {
        switch code {
        case ENOKEY:
            "it is encrypted with a key that is not available: provide that key as a credential, as the current or "
                + "previous key"
        case EOPNOTSUPP: "a newer version of the program encrypted it: use that version"
        default: "it is encrypted and damaged: replace it with a good copy, or remove it"
        }
    }

    private var errnoAdvice: String {
        switch errno {
        case .noSpace where detail == Self.noInodesDetail:
            "remove files from its file system; `df -i` shows the number of free inodes"
        case .noSpace: "free some space on its file system"
        case .diskQuotaExceeded: "remove files of its owner, or raise the owner's disk quota"
        case .resourceBusy:
            "unmount the file system that is mounted on it (`findmnt`), and mount it on the parent directory instead"
        case .readOnlyFileSystem:
            "make its file system writable again or, if the systemd unit does not allow writing there, "
                + "add the directory to ReadWritePaths= in the unit"
        case .ioError: "check the disk and the kernel's messages"
        case .permissionDenied:
            "give this user access to it, and to the directories above it; `namei -l '\(path)'` shows their owners and "
                + "modes"
        case .notPermitted:
            "check with `lsattr -d '\(path)'` whether it or its directory is immutable (`chattr -i` removes "
                + "this attribute), and give this user access to both"
        case .noSuchFileOrDirectory: "make sure that the directories above it exist"
        case .fileExists, .notDirectory, .isDirectory, .invalidArgument, .tooManySymbolicLinkLevels:
            "move the existing file or directory out of the way"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "raise the limit on open files"
        case .fileTooLarge where operation == .read:
            "move it away, or replace it with a smaller file"
        case .fileTooLarge where operation == .list: "remove entries that are not needed"
        case .fileTooLarge: "move it away, or raise the limit on file sizes"
        case .staleNFSFileHandle:
            "restore the file that was opened there; a restart would load the file that is at the path now"
        case .badMessage: "check the disk and the kernel's messages"
        case .wouldBlock: "stop the process that has locked it"
        default: "see errno \(errno.rawValue) in errno(3)"
        }
    }
}

extension IOError {
    /// Makes a system call that returns a negative number and sets errno on error.
    ///
    /// Interrupted calls are repeated.
    ///
    /// - Returns: The result of the system call.
    @discardableResult
    static func check(
        _ operation: Operation, path: String, _ call: () -> CInt
    ) throws(IOError) -> CInt {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = Glibc.errno
            if code == EINTR { continue }
            let detail = code == ENOSPC && hasNoFreeInodes(path) ? noInodesDetail : nil
            throw IOError(operation, path: path, code: code, detail: detail)
        }
    }

    private static let noInodesDetail = "no inodes are left"

    /// Returns whether the file system that contains a path has free space but no free inodes. The file need not exist
    /// yet.
    private static func hasNoFreeInodes(_ path: String) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 || statvfs(path.containingDirectory, &status) == 0 else {
            return false
        }
        return hasNoFreeInodes(status)
    }

    /// Returns whether a file system has free space but no free inodes.
    static func hasNoFreeInodes(_ status: statvfs) -> Bool {
        status.f_files > 0 && status.f_favail == 0 && status.f_bavail > 0
    }

    /// Makes a system call in the same way as ``check(_:path:_:)``, but returns `nil` if the file does not exist
    /// (`ENOENT`).
    static func checkIfExists(
        _ operation: Operation, path: String, _ call: () -> CInt
    ) throws(IOError) -> CInt? {
        do throws(IOError) {
            return try check(operation, path: path, call)
        } catch  where error.code == ENOENT {
            return nil
        }
    }
}
