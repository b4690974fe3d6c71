import Glibc

extension FileReadError: CustomStringConvertible {
    /// One sentence: the path, what stood in the way, what to do.
    package var description: String {
        switch reason {
        case .missing:
            "\(path) does not exist: write it, or name another file."
        case .isFolder:
            "\(path) is a folder: name the file in it."
        case .notAFile:
            "\(path) is not a regular file: put one there, or name another file."
        case .tooLarge(let limit):
            "\(path) has more than \(limit) bytes: make it smaller or split it."
        case .system(let errno) where errno == EACCES || errno == EPERM:
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "give the daemon's user the right to read it."
        case .system(let errno):
            "\(path) cannot be read (\(String(cString: strerror(errno)))): "
                + "correct that, or name another file."
        }
    }
}
