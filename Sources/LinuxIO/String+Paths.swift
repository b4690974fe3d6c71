import Glibc

extension String {
    /// Path of the directory that contains the last component of this path, such as `/` for `/name` or `.` for `name`.
    package var containingDirectory: String {
        guard let slashIndex = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slashIndex == startIndex ? "/" : String(self[..<slashIndex])
    }

    /// Returns this directory's path with a name or a relative path appended.
    package func appendingPath(_ name: String) -> String {
        utf8.last == UInt8(ascii: "/") ? self + name : "\(self)/\(name)"
    }

    /// Absolute path without symbolic links, `.` or `..` components (see realpath(3)).
    ///
    /// Trailing components that do not exist remain unchanged.
    package var resolvedPath: String {
        if let absolutePath = realpath(self, nil) {
            defer { free(absolutePath) }
            return String(cString: absolutePath)
        }
        guard let name = utf8.split(separator: UInt8(ascii: "/")).last else { return self }
        let directory = String(self[..<name.startIndex])
        return (directory.isEmpty ? "." : directory).resolvedPath.appendingPath(
            String(Substring(name)))
    }
}
