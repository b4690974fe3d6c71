extension String {
    /// Path of the directory that contains the last component of this path: `/` for `/name`, `.` for `name`.
    package var containingFolder: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
