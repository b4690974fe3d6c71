package import StateRecords

/// Records that one turn writes, in one or more passes.
///
/// The archive checks each pass when the turn is appended. At the end of the pass, every parent and name that
/// the pass refers to must exist. An object that the pass places must exist before the pass, or the pass must
/// add it. Removals are applied last.
package struct TurnRecords: Sendable, Equatable {
    /// Passes that have ended.
    package private(set) var passes: [PassRecords] = []
    /// Pass that has not ended yet.
    package private(set) var open = PassRecords()

    /// Creates a turn that writes nothing.
    package init() {}

    /// Whether the turn writes nothing (P16).
    package var isEmpty: Bool { passes.isEmpty && open.isEmpty }

    /// Adds a pass that has ended.
    package mutating func add(_ pass: PassRecords) { passes.append(pass) }

    /// Adds a name, whose number must be new in the archive.
    package mutating func addName(_ text: String, number: UInt32) {
        open.names.append((number, text))
    }

    /// Adds the newest state of an object. The bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        addObject(ObjectRecord(header: header, values: Array(values)[...]))
    }

    /// Adds the newest state of an object. The bytes are copied.
    package mutating func addObject(_ record: ObjectRecord) { open.add(record) }

    /// Replaces the header of an object that the archive contains or this pass has added.
    ///
    /// The values do not change.
    package mutating func addPlacement(_ header: ObjectHeader) { open.placements.append(header) }

    /// Removes an object and all objects below it.
    package mutating func addRemoval(_ number: UInt32) { open.removals.append(number) }

    /// Ends the current pass.
    package mutating func endPass(_ end: PassEnd) {
        open.end = end
        passes.append(open)
        open = PassRecords()
    }
}
