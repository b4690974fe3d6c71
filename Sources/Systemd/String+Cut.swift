extension String {
    /// The text, or its longest beginning that ends in `…` and has at most `limit` bytes of UTF-8.
    ///
    /// A Unicode scalar is never cut in two. `limit` is at least the three bytes of the mark.
    func cut(toUTF8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let mark = "…"
        var size = mark.utf8.count
        var beginning = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            beginning.append(scalar)
        }
        return String(beginning) + mark
    }
}
