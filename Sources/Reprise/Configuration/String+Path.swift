extension String {
    /// This folder's path with a name, or a path below it, at its end.
    func appendingPath(_ name: String) -> String {
        hasSuffix("/") ? self + name : "\(self)/\(name)"
    }

    /// The path of the folder in which this path's last name stands; `.` for a name alone.
    var containingFolder: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
