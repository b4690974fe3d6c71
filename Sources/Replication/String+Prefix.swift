extension String {
    /// Returns the longest prefix of whole Unicode scalars that has at most the given number of bytes in UTF-8.
    package func prefix(maximumBytes: Int) -> Substring {
        guard utf8.count > maximumBytes else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: maximumBytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end]
    }
}
