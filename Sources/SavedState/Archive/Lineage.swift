/// Writers that have contributed to a saved state, oldest first.
///
/// A *writer* is one process on one host, for as long as the process owns the application. The lineage shows whether
/// one state is a continuation of another. Epochs and sequence numbers alone do not show this, because they can repeat
/// after the servers that store the replica have been restored from a backup.
package struct Lineage: Sendable, Equatable {
    /// Earlier writer, and the last record that the next writer inherited from it.
    package struct Ancestor: Sendable, Equatable {
        /// Identifier of the earlier writer.
        package let writer: UInt64
        /// Sequence number of the record.
        package let turn: UInt64
    }

    /// Maximum number of ancestors that are retained.
    ///
    /// A state whose writer is older than the oldest retained ancestor is treated as unrelated.
    static let maximumAncestors = 64
    /// Maximum length in bytes of a lineage in text form.
    static let maximumBytes = 16 << 10

    /// Identifier of the writer that is currently writing the state.
    package let writer: UInt64
    /// Earlier writers, oldest first.
    package private(set) var ancestors: [Ancestor] = []

    /// Creates the lineage for a state that does not continue another state.
    package init(writer: UInt64) { self.writer = writer }

    /// Returns the lineage of the state that another writer saves as a continuation of this state.
    ///
    /// - Parameter turn: Sequence number of this state's last record.
    package func continued(by writer: UInt64, after turn: UInt64) -> Lineage {
        if writer == self.writer { return self }
        var nextLineage = Lineage(writer: writer)
        nextLineage.ancestors = (ancestors + [Ancestor(writer: self.writer, turn: turn)])
            .suffix(Self.maximumAncestors)
        return nextLineage
    }

    /// Returns whether a state with this lineage equals another state or is a continuation of it.
    ///
    /// - Parameters:
    ///   - other: Lineage of the other state.
    ///   - otherTurn: Sequence number of the other state's last record.
    ///   - turn: Sequence number of this state's last record.
    package func contains(_ other: Lineage, at otherTurn: UInt64, within turn: UInt64) -> Bool {
        let last =
            other.writer == writer
            ? turn : ancestors.last { $0.writer == other.writer }?.turn
        return last.map { otherTurn <= $0 } ?? false
    }

    // MARK: Text

    /// The lineage in text form.
    ///
    /// Each ancestor has one line with its writer in hexadecimal digits and its sequence number. The last line contains
    /// the current writer.
    package var text: String {
        ancestors.map { "\(String($0.writer, radix: 16)) \($0.turn)\n" }.joined()
            + "\(String(writer, radix: 16))\n"
    }

    /// Parses a lineage in text form, or returns `nil` if the text is not valid.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        var lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard let last = lines.popLast(), last.count == 1, let writer = UInt64(last[0], radix: 16)
        else { return nil }
        self.writer = writer
        for line in lines {
            guard line.count == 2, let writer = UInt64(line[0], radix: 16),
                let turn = UInt64(line[1])
            else { return nil }
            ancestors.append(Ancestor(writer: writer, turn: turn))
        }
        ancestors = ancestors.suffix(Self.maximumAncestors)
    }
}
