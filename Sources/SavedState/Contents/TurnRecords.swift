package import StateRecords

/// What one turn writes: one or more passes, in order.
///
/// The archive checks each pass when the turn is appended: every parent and name that it refers to
/// must be known at its end, and a placed object before it or added in it. Removals count last.
package struct TurnRecords: Sendable, Equatable {
    /// The passes that have ended.
    package private(set) var passes: [PassRecords] = []
    /// The pass that has not ended yet.
    package private(set) var open = PassRecords()

    /// Makes a turn that writes nothing.
    package init() {}

    /// Whether there is nothing to write (P16).
    package var isEmpty: Bool { passes.isEmpty && open.isEmpty }

    /// Adds a pass that has ended.
    package mutating func add(_ pass: PassRecords) { passes.append(pass) }

    /// Adds a name, whose number must be new in the archive.
    package mutating func addName(_ text: String, number: UInt32) {
        open.names.append((number, text))
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        addObject(ObjectRecord(header: header, values: Array(values)[...]))
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ record: ObjectRecord) { open.add(record) }

    /// Gives an object that the archive knows, or that this pass has added, another header; its
    /// values stay.
    package mutating func addPlacement(_ header: ObjectHeader) { open.placements.append(header) }

    /// Removes the object of that number and everything below it.
    package mutating func addRemoval(_ number: UInt32) { open.removals.append(number) }

    /// Ends the pass that was added to since the last one ended.
    package mutating func endPass(_ end: PassEnd) {
        open.end = end
        passes.append(open)
        open = PassRecords()
    }
}
