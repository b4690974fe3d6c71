/// What was saved of one object, or of a scene itself: keys and values.
package struct SavedValues: Sendable {
    /// The values that are kept together, each behind its key.
    package var together: ArraySlice<UInt8>
    /// Large values, each behind its key, in any order.
    package var outOfLine: [ArraySlice<UInt8>]

    package init(_ together: ArraySlice<UInt8>, outOfLine: [ArraySlice<UInt8>] = []) {
        self.together = together
        self.outOfLine = outOfLine
    }

    /// Everything: whole values, each behind its key.
    var spans: [ArraySlice<UInt8>] { [together] + outOfLine }

    /// The same with every large value kept out of line, as a pass hands it out.
    ///
    /// Total: what stands behind bytes that are no values stays together with them.
    var takenOutOfLine: SavedValues {
        guard together.count > OutOfLineValue.largestInRecord else { return self }
        var large: [OutOfLineValue] = []
        var reader = ValueReader(together)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let start = reader.position
                let key = try reader.readVarint()
                try reader.skipValue()
                guard reader.position - start > OutOfLineValue.largestInRecord else { continue }
                guard let key = UInt32(exactly: key) else { throw .numberTooLarge }
                large.append(OutOfLineValue(key: key, range: start..<reader.position))
            }
        } catch {
            if large.isEmpty { return self }
        }
        let split = SavedValues(together, outOfLine: large)
        return SavedValues(split.together, outOfLine: split.outOfLine + outOfLine)
    }
}

extension SavedRecord {
    /// What was saved of the object.
    var saved: SavedValues { SavedValues(values, outOfLine: outOfLine) }
}

extension SavedScene {
    /// What was saved of the scene itself.
    var saved: SavedValues { SavedValues(values, outOfLine: outOfLine) }
}
