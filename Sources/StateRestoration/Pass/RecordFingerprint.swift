extension ClassNames.Names {
    /// Tells a record of these names and values from another within this process.
    ///
    /// Where it stands does not count, nor does the order of the values that are kept apart: an
    /// archive gives them back in any.
    func fingerprint(_ kind: RestorationKind, _ values: SavedValues) -> Int {
        let values = values.takenApart
        var hasher = Hasher()
        hasher.combine(kind.rawValue)
        hasher.combine(classToken)
        hasher.combine(restorationClassToken)
        hasher.combine(storyboard)
        hasher.combine(storyboardIdentifier)
        values.together.withUnsafeBytes { hasher.combine(bytes: $0) }
        if !values.apart.isEmpty {
            hasher.combine(values.apart.reduce(0) { $0 &+ Self.hash($1) })
        }
        return hasher.finalize()
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

extension RecordHeader {
    /// Tells a record with this header's names and these values from another within this process.
    func fingerprint(_ values: SavedValues) -> Int {
        ClassNames.Names(
            classToken: classToken, restorationClassToken: restorationClassToken,
            storyboard: storyboard, storyboardIdentifier: storyboardIdentifier
        ).fingerprint(kind, values)
    }
}
