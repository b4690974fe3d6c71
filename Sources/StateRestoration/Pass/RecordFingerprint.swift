extension ClassNames.Names {
    /// Tells a record of these names and values from another within this process. Where it stands
    /// does not count.
    ///
    /// - Parameter values: the ``SavedValues/hash`` of its values.
    func fingerprint(_ kind: RestorationKind, values: UInt64) -> UInt64 {
        let classes = UInt64(classToken) << 32 | UInt64(restorationClassToken)
        let origin = UInt64(storyboard) << 32 | UInt64(storyboardIdentifier)
        let names = ByteHash.combine(classes, origin) ^ UInt64(kind.rawValue)
        return ByteHash.combine(names, values)
    }
}

extension RecordHeader {
    /// Tells a record with this header's names and these values from another within this process.
    func fingerprint(_ values: SavedValues) -> UInt64 {
        ClassNames.Names(
            classToken: classToken, restorationClassToken: restorationClassToken,
            storyboard: storyboard, storyboardIdentifier: storyboardIdentifier
        ).fingerprint(kind, values: values.hash)
    }
}

extension SavedValues {
    /// Tells these values from others, in whatever order those out of line come: an archive
    /// gives them back in any.
    var hash: UInt64 {
        if outOfLine.isEmpty, together.count <= OutOfLineValue.largestInRecord {
            return ByteHash.hash(together)
        }
        let values = takenOutOfLine
        let together = ByteHash.hash(values.together)
        if values.outOfLine.isEmpty { return together }
        let outOfLine = values.outOfLine.reduce(0) { $0 &+ ByteHash.hash($1) }
        return ByteHash.combine(together, outOfLine)
    }
}

extension StateEncoder {
    /// The same of the values of the object begun last.
    var valuesHash: UInt64 {
        if outOfLine.isEmpty { return withValues(ByteHash.hash) }
        return SavedValues(bytes[end()], outOfLine: outOfLine).hash
    }
}
