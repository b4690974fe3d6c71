import ExactText
import Glibc

/// Reason why a file or a directory could not be read.
package struct FileReadError: Error, Sendable, Equatable {
    /// Cause of the failure.
    package enum Reason: Sendable, Equatable {
        /// Nothing exists at the path.
        case missing
        /// A file is required, but the path leads to a directory.
        case isDirectory
        /// A file is required, but the path leads to a pipe, a socket or a device.
        case notRegularFile
        /// A directory is required, but the path or a parent directory is not a directory.
        case notDirectory
        /// The file exceeds the given limit, in bytes.
        case tooLarge(limit: Int)
        /// The system call failed with the given `errno`.
        case system(errno: Int32)
    }

    /// Path, as the caller specified it.
    package let path: String
    /// Cause of the failure.
    package let reason: Reason
}

extension FileReadError: CustomStringConvertible {
    /// Sentence that names the path and says what is wrong and what to do.
    package var description: String {
        switch reason {
        case .missing:
            "\(path) does not exist: create it, or specify another file."
        case .isDirectory:
            "\(path) is a directory: specify a file."
        case .notRegularFile:
            "\(path) is not a regular file: replace it, or specify another file."
        case .notDirectory:
            "\(path) is not a directory: replace it with a directory of drop-ins, or remove it."
        case .tooLarge(let limit):
            "\(path) has more than \(limit) bytes: make it smaller or split it."
        case .system(let errno) where errno == EACCES || errno == EPERM:
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "allow the daemon's user to read it."
        case .system(let errno):
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "fix this, or specify another file."
        }
    }
}
