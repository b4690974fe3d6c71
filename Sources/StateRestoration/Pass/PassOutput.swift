/// What one pass has to write.
package struct PassOutput: Sendable {
    /// The scene's record.
    package var scene: RecordNumber
    /// The pass's reserved values (P4).
    package var stamp: PassStamp
    /// Whether every object was looked at.
    package var isFull: Bool
    /// Names that the archive does not hold yet.
    package var names: [NumberedName] = []
    /// The records of objects that are new or changed.
    package var objects: [PassRecord] = []
    /// Records whose values are as they were, and that stand at another place.
    package var moves: [RecordHeader] = []
    /// The records' values, one after the other.
    package var values: [UInt8] = []
    /// Records whose objects are gone, with everything below them; and numbers that values hold and
    /// no record has, which are given to no other object.
    package var removals: [RecordNumber] = []
    /// How many objects encoded themselves.
    package var encodedCount = 0
    /// What a person should know of the pass.
    package var diagnostics: [PassDiagnostic] = []

    /// Whether there is nothing to write (P16).
    package var isEmpty: Bool { objects.isEmpty && moves.isEmpty && removals.isEmpty }
}

/// A record that a pass has to write.
package struct PassRecord: Sendable, Equatable {
    package var header: RecordHeader
    /// Where all its values stand in ``PassOutput/values``.
    package var values: Range<Int>
    /// The large ones among them, in their order.
    package var outOfLine: [OutOfLineValue]

    package init(header: RecordHeader, values: Range<Int>, outOfLine: [OutOfLineValue] = []) {
        self.header = header
        self.values = values
        self.outOfLine = outOfLine
    }
}
