import ExactText
import Glibc
package import SystemPackage

/// Target of a watch: a file, or the matching entries of a directory.
///
/// Neither the target nor the directories above it need to exist. A relative path is resolved against the current
/// directory of the process when the watch begins.
package enum FileTarget: Sendable, Hashable {
    /// The file at a path, with all symbolic links followed.
    case file(FilePath)
    /// The directory entries whose names end with a suffix.
    ///
    /// Names are compared byte by byte. Symbolic links are followed, and there may be at most ``maximumLinkCount`` of
    /// them. The contents of subdirectories are not included.
    case directory(FilePath, suffix: String)

    /// Maximum number of symbolic links among the matching entries of a directory.
    package static let maximumLinkCount = 256

    /// Path of the target, as specified by the caller.
    package var path: FilePath {
        switch self {
        case .file(let path), .directory(let path, suffix: _): path
        }
    }

    /// Returns this target with an absolute path.
    func absoluteTarget() throws(FileWatchError) -> FileTarget {
        if path.isAbsolute { return self }
        var bytes = [CInterop.PlatformChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&bytes, bytes.count) != nil else {
            throw FileWatchError(.examine, path, Errno(rawValue: errno))
        }
        let absolutePath = FilePath(platformString: bytes).pushing(path)
        return switch self {
        case .file: .file(absolutePath)
        case .directory(_, let suffix): .directory(absolutePath, suffix: suffix)
        }
    }
}
