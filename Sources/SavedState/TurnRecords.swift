/// What one turn writes: the records of one or more passes, in order.
///
/// A pass is its new names, its objects and its placements (in any order, as long as every parent is
/// known when the pass ends and a placed object before it is placed), then its removals, then its
/// stamp. Adding is cheap and checks nothing; the
/// archive checks each pass when the turn is appended.
package struct TurnRecords: Sendable, Equatable {
    /// The records so far.
    package private(set) var records: [ArchiveRecord] = []

    /// Makes a turn that writes nothing.
    package init() {}

    /// Whether there is nothing to write (P16).
    package var isEmpty: Bool { records.isEmpty }

    /// Adds a name, whose number must be new in the archive.
    package mutating func addName(_ text: String, number: UInt32) {
        records.append(.name(number: number, text: text))
    }

    /// Adds the newest state of an object; the bytes of its values are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        // A copy, so that one small value does not keep the whole buffer of a pass alive.
        records.append(.object(ObjectRecord(header: header, values: Array(values)[...])))
    }

    /// Gives an object that the archive knows, or that this pass has added, another header; its
    /// values stay.
    package mutating func addPlacement(_ header: ObjectHeader) {
        records.append(.placement(header))
    }

    /// Removes the object of that number and everything below it.
    package mutating func addRemoval(_ number: UInt32) {
        records.append(.removal(number: number))
    }

    /// Ends the pass that the records since the last stamp belong to.
    package mutating func endPass(_ stamp: PassEnd) {
        records.append(.passEnd(stamp))
    }
}
