extension String {
    /// Returns whether this restoration path equals another path or is below it.
    ///
    /// The paths are compared byte by byte (I5).
    package func isAtOrBelow(_ path: String) -> Bool {
        utf8.elementsEqual(path.utf8)
            || utf8.starts(with: path.utf8)
                && utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }
}
