import ExactText
import Glibc
package import SystemPackage

/// What is watched: one name in the file system.
///
/// It need not exist, nor any folder above it. A relative path is one of the folder that is the
/// process's current one when the watch begins.
package enum FileTarget: Sendable, Hashable {
    /// What a path leads to, through any symbolic links.
    case file(FilePath)
    /// The entries of a folder whose names end with a suffix, byte for byte. Those that are
    /// symbolic links are followed, up to ``mostLinks`` of them; folders within the folder are not.
    case folder(FilePath, suffix: String)

    /// The most entries of a folder that may be symbolic links.
    package static let mostLinks = 256

    /// The path as it was given.
    package var path: FilePath {
        switch self {
        case .file(let path), .folder(let path, suffix: _): path
        }
    }

    /// The target with an absolute path.
    func absolute() throws(FileWatchError) -> FileTarget {
        if path.isAbsolute { return self }
        var bytes = [CInterop.PlatformChar](repeating: 0, count: Int(PATH_MAX))
        guard getcwd(&bytes, bytes.count) != nil else {
            throw FileWatchError(.examine, path, Errno(rawValue: errno))
        }
        let absolute = FilePath(platformString: bytes).pushing(path)
        return switch self {
        case .file: .file(absolute)
        case .folder(_, let suffix): .folder(absolute, suffix: suffix)
        }
    }
}
