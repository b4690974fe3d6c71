/// Lets a text with duplicate keys through the parser, so that their places can be found.
///
/// The parser refuses a mapping with a duplicate key and names only the first of the two. The mask
/// writes a private character over the first letter of that key, of the same width, and the text
/// is parsed again; the key gets its name back by its position when the tree is converted.
struct DuplicateKeyMask {
    private struct Place: Hashable {
        let line: Int
        let column: Int
    }

    /// The text to parse; its lines and columns are those of the original.
    private(set) var text: String
    private var names: [Place: String] = [:]
    private var scalars: ArraySlice<Unicode.Scalar>

    /// Starts with the text as it is.
    init(_ text: String) {
        self.text = text
        let candidates = (0..<UInt32(YAMLLimits.duplicateKeys)).compactMap {
            Unicode.Scalar(0xF000 + $0)
        }
        let used = Set(text.unicodeScalars.lazy.filter { (0xF000...0xF8FF).contains($0.value) })
        scalars = candidates.filter { !used.contains($0) }[...]
    }

    /// Hides the key that begins at a place.
    ///
    /// - Returns: Whether it could be hidden. It cannot when it begins with an escape or is not a
    ///   plain or quoted string, or when ``YAMLLimits/duplicateKeys`` are hidden already.
    mutating func hide(_ name: String, line: Int, column: Int) -> Bool {
        let place = Place(line: line, column: column)
        guard names[place] == nil, !name.isEmpty, let replacement = scalars.first,
            var index = index(line: line, column: column)
        else { return false }
        var view = text.unicodeScalars
        if ["\"", "'"].contains(view[index]) {
            view.formIndex(after: &index)
            guard index < view.endIndex, !["\\", "\"", "'"].contains(view[index])
            else { return false }
        } else if ["&", "!", "*", "?", "|", ">", "[", "{"].contains(view[index]) {
            return false
        }
        scalars.removeFirst()
        view.replaceSubrange(index...index, with: CollectionOfOne(replacement))
        text = String(view)
        names[place] = name
        return true
    }

    /// The true name of a key that was parsed at a place.
    func name(of parsed: String, at position: SourcePosition) -> String {
        names[Place(line: position.line, column: position.column)] ?? parsed
    }

    private func index(line: Int, column: Int) -> String.Index? {
        var counter = ScalarCounter()
        for index in text.unicodeScalars.indices {
            if counter.line == line, counter.column == column { return index }
            counter.advance(over: text.unicodeScalars[index])
        }
        return nil
    }
}
