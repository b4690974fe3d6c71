extension String {
    /// Path of the directory that contains the last component of this path: `/` for `/name`, `.` for `name`.
    package var containingFolder: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }

    /// This path of a directory with a name, or a path below the directory, at its end.
    package func appendingPath(_ name: String) -> String {
        utf8.last == UInt8(ascii: "/") ? self + name : "\(self)/\(name)"
    }
}
