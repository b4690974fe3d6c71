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

    /// Adds a name, whose number must be new in the archive.
    package mutating func addName(_ text: String, number: UInt32) {
        open.names.append((number, text))
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        addObject(ObjectRecord(header: header, values: Array(values)[...]))
    }

    /// Adds the newest state of an object, with the whole buffers that its bytes lie in.
    package mutating func addObject(_ record: ObjectRecord) { open.objects.append(record) }

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

/// What one pass of a scene changed.
package struct PassRecords: Sendable, Equatable {
    /// Names that the archive does not know.
    package var names: [(number: UInt32, text: String)] = []
    /// Objects that are new or changed, at most once each.
    package var objects: [ObjectRecord] = []
    /// Objects that stand elsewhere, with the values that they have.
    package var placements: [ObjectHeader] = []
    /// Objects that are gone, with everything below them.
    package var removals: [UInt32] = []
    /// Which scene's pass it was.
    package var end = PassEnd()

    var isEmpty: Bool {
        names.isEmpty && objects.isEmpty && placements.isEmpty && removals.isEmpty
    }

    /// Whether both are alike.
    package static func == (one: PassRecords, other: PassRecords) -> Bool {
        one.names.elementsEqual(other.names, by: ==) && one.objects == other.objects
            && one.placements == other.placements && one.removals == other.removals
            && one.end == other.end
    }
}

/// Why the records of a pass cannot stand; a clause that names the object or name.
struct MalformedPass: Error, Equatable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
