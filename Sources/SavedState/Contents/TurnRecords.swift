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

    /// Makes room for so many objects with so many bytes of values.
    package mutating func reserveCapacity(objects: Int, valueBytes: Int) {
        open.objects.reserveCapacity(objects, byteCount: objects * 48 + valueBytes)
    }

    /// Adds a name, whose number must be new in the archive.
    package mutating func addName(_ text: String, number: UInt32) {
        open.names.append((number, text))
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: ArraySlice<UInt8>) {
        open.add(header, keys: [], values: values)
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ header: ObjectHeader, values: some Sequence<UInt8>) {
        open.add(header, keys: [], values: Array(values)[...])
    }

    /// Adds the newest state of an object, of which the bytes are copied.
    package mutating func addObject(_ record: ObjectRecord) {
        open.add(record.header, keys: record.outOfLine.map(\.key), values: record.values)
        for value in record.outOfLine {
            open.objects.append(.value(object: record.header.number, value))
        }
    }

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
    /// Objects that are new or changed, at most once each, each before its out-of-line values.
    var objects = RecordList()
    /// Objects that stand elsewhere, with the values that they have.
    package var placements: [ObjectHeader] = []
    /// Objects that are gone, with everything below them.
    package var removals: [UInt32] = []
    /// Which scene's pass it was.
    package var end = PassEnd()
    /// The reason for which an object cannot be a record; nil: all can.
    private(set) var problem: String?

    var isEmpty: Bool {
        names.isEmpty && objects.isEmpty && placements.isEmpty && removals.isEmpty
    }

    /// The objects with their out-of-line values.
    package var objectRecords: [ObjectRecord] {
        var records: [ObjectRecord] = []
        for record in objects.records {
            switch record {
            case .object(var object):
                object.outOfLine = []
                records.append(object)
            case .value(_, let value): records[records.count - 1].outOfLine.append(value)
            default: break
            }
        }
        return records
    }

    fileprivate mutating func add(
        _ header: ObjectHeader, keys: [UInt32], values: ArraySlice<UInt8>
    ) {
        if header.identifier.utf8.count > UInt16.max {
            problem = "an object below \(header.parent) has too long an identifier"
        } else if keys.count > UInt16.max {
            problem = "object \(header.number) names too many values"
        }
        objects.encode(.object) {
            $0.append(header, keys: keys)
            $0.append(contentsOf: values)
        }
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
