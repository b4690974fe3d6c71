package import SystemPackage

/// Error that describes why files cannot be watched.
package struct FileWatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Operation that failed.
    ///
    /// The raw value completes the sentence "Cannot …".
    package enum Operation: String, Sendable {
        case start = "start to watch files"
        case watch = "watch"
        case detectChanges = "detect changes to files any longer"
        case examine = "examine"
        case list = "list the directory"
        case followLinks = "follow all symbolic links in the directory"
    }

    /// Operation that failed.
    package var operation: Operation
    /// File or directory on which the operation failed, or `nil` if the operation is ``Operation/start`` or
    /// ``Operation/detectChanges``.
    package var path: FilePath?
    /// Error number from the kernel (see errno(3)), or `EMLINK` if there are more links than
    /// ``FileTarget/maximumLinkCount``.
    package var errno: Errno

    init(_ operation: Operation, _ path: FilePath? = nil, _ errno: Errno) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// Sentence that says what failed, where, why, and what to do.
    package var description: String {
        let location = path.map { " '\($0.string)'" } ?? ""
        return "Cannot \(operation.rawValue)\(location): \(errno.description); \(advice)."
    }

    private var advice: String {
        switch (operation, errno) {
        case (.start, .tooManyOpenFiles):
            "raise fs.inotify.max_user_instances with sysctl(8), or the limit of open files"
        case (.watch, .noSpace): "raise fs.inotify.max_user_watches with sysctl(8)"
        case (.watch, .badFileDescriptor): "create a new watcher: this one was closed"
        case (.detectChanges, _): "restart the program to watch them again"
        case (.followLinks, _): "use at most \(FileTarget.maximumLinkCount) symbolic links"
        case (_, .permissionDenied), (_, .notPermitted):
            "allow this user to read it, and to search the directories above it"
        case (_, .tooManyOpenFiles), (_, .tooManyOpenFilesInSystem):
            "raise the limit of open files"
        case (_, .noMemory): "free some memory"
        default: "see errno \(errno.rawValue) in errno(3)"
        }
    }
}
