import ExactText

/// Takes records over into another archive, in which names and records have other numbers.
package struct RecordTransfer {
    private let oldNames: [UInt32: String]
    private let names: NameTable
    private let numbering: RecordNumbering
    private var nameNumbers: [UInt32: UInt32] = [0: 0]
    private var objects: [RecordNumber: RecordNumber] = [.none: .none]
    /// The number of what was referred to and never recorded; nil if nothing was.
    package private(set) var stranger: RecordNumber?

    /// From an archive with its names to another with its own, and its own numbers.
    package init(from oldNames: [UInt32: String], to names: NameTable, numbering: RecordNumbering) {
        self.oldNames = oldNames
        self.names = names
        self.numbering = numbering
    }

    /// Gives a record its new number. Every record comes here before anything that refers to it.
    package mutating func add(_ record: RecordNumber) {
        objects[record] = numbering.next()
    }

    /// The new number of a name; 0 if it has none.
    package mutating func name(_ number: UInt32) -> UInt32 {
        if let known = nameNumbers[number] { return known }
        let new = oldNames[number].map { names.number(for: $0) } ?? 0
        nameNumbers[number] = new
        return new
    }

    /// The new number of a record.
    package mutating func object(_ number: RecordNumber) -> RecordNumber {
        if let known = objects[number] { return known }
        let new = stranger ?? numbering.next()
        stranger = new
        return new
    }

    /// The values of a record with the new numbers, without those whose keys have no name, and
    /// without the launches that could not place a record: a state that comes back is offered to
    /// as many again (R16).
    ///
    /// - Throws: ``ValueError`` if the bytes are no values.
    package mutating func values(_ old: ArraySlice<UInt8>) throws(ValueError) -> [UInt8] {
        var reader = ValueReader(old)
        var writer = ValueWriter()
        while !reader.isAtEnd {
            guard let key = UInt32(exactly: try reader.readVarint()) else { throw .numberTooLarge }
            if oldNames[key] == ReservedState.unclaimedKey {
                try reader.skipValue()
                continue
            }
            let start = writer.count
            let new = name(key)
            writer.writeVarint(UInt64(new))
            try copyValue(from: &reader, to: &writer, of: old)
            if new == 0 { writer.truncate(to: start) }
        }
        return writer.bytes
    }

    private mutating func copyValue(
        from reader: inout ValueReader, to writer: inout ValueWriter, of old: ArraySlice<UInt8>,
        depth: Int = 0
    ) throws(ValueError) {
        let start = reader.position
        let tag = try reader.readTag()
        switch tag {
        case .reference:
            writer.writeReference(object(try reader.readReference()))
        case .array, .dictionary:
            let inside = try ValueReader.depth(inside: depth)
            let count = try reader.readCount()
            writer.write(tag)
            writer.writeVarint(UInt64(count))
            for _ in 0..<count {
                if tag == .dictionary { writer.writeBytes(try reader.readBytes()) }
                try copyValue(from: &reader, to: &writer, of: old, depth: inside)
            }
        default:
            reader.seek(to: start)
            try reader.skipValue()
            writer.writeRaw(old[start..<reader.position])
        }
    }
}
