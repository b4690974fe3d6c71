import ExactText

/// A translation of name numbers and record numbers from one archive to another.
package struct RecordRenumbering {
    private let oldNames: [UInt32: String]
    private let names: NameTable
    private let numbering: RecordNumberGenerator
    private var newNameNumbers: [UInt32: UInt32] = [0: 0]
    private var newRecordNumbers: [RecordNumber: RecordNumber] = [.none: .none]
    /// New number that all references to missing records share, or `nil` if there are no such references.
    package private(set) var danglingReferenceNumber: RecordNumber?

    /// Creates a translation to the archive that uses the given name table and number generator.
    ///
    /// - Parameters:
    ///   - oldNames: The names in the source archive, keyed by number.
    ///   - names: The name table of the target archive.
    ///   - numbering: The generator of record numbers for the target archive.
    package init(
        from oldNames: [UInt32: String], to names: NameTable, numbering: RecordNumberGenerator
    ) {
        self.oldNames = oldNames
        self.names = names
        self.numbering = numbering
    }

    /// Assigns a new number to a record.
    ///
    /// Add all records before translating values that refer to them.
    package mutating func add(_ record: RecordNumber) {
        newRecordNumbers[record] = numbering.next()
    }

    /// Returns the new number of a name, or 0 if the name is unknown.
    package mutating func renumberName(_ number: UInt32) -> UInt32 {
        if let assignedNumber = newNameNumbers[number] { return assignedNumber }
        let newNumber = oldNames[number].map { names.number(for: $0) } ?? 0
        newNameNumbers[number] = newNumber
        return newNumber
    }

    /// Returns the new number of a record, or ``danglingReferenceNumber`` if the record has not been added.
    package mutating func renumberRecord(_ number: RecordNumber) -> RecordNumber {
        if let assignedNumber = newRecordNumbers[number] { return assignedNumber }
        let newNumber = danglingReferenceNumber ?? numbering.next()
        danglingReferenceNumber = newNumber
        return newNumber
    }

    /// Translates the values of a record to the new numbers.
    ///
    /// Values whose keys have no name are omitted. The launch counts of unclaimed records are also omitted, so that
    /// these records get the full number of restoration attempts (R16).
    ///
    /// - Throws: ``ValueError`` if the bytes are not valid values.
    package mutating func renumberedValues(_ oldValues: ArraySlice<UInt8>) throws(ValueError)
        -> [UInt8]
    {
        var reader = ValueReader(oldValues)
        var writer = ValueWriter()
        while !reader.isAtEnd {
            guard let oldKeyNumber = UInt32(exactly: try reader.readVarint()) else {
                throw .numberTooLarge
            }
            if oldNames[oldKeyNumber] == ReservedState.unclaimedKey {
                try reader.skipValue()
                continue
            }
            let keyStart = writer.count
            let newKeyNumber = renumberName(oldKeyNumber)
            writer.writeVarint(UInt64(newKeyNumber))
            try copyValue(from: &reader, to: &writer, of: oldValues)
            if newKeyNumber == 0 { writer.truncate(to: keyStart) }
        }
        return writer.bytes
    }

    private mutating func copyValue(
        from reader: inout ValueReader, to writer: inout ValueWriter,
        of oldValues: ArraySlice<UInt8>,
        depth: Int = 0
    ) throws(ValueError) {
        let valueStart = reader.position
        let tag = try reader.readTag()
        switch tag {
        case .reference:
            writer.writeReference(renumberRecord(try reader.readReference()))
        case .array, .dictionary:
            let innerDepth = try ValueReader.depth(inside: depth)
            let count = try reader.readCount()
            writer.write(tag)
            writer.writeVarint(UInt64(count))
            for _ in 0..<count {
                if tag == .dictionary { writer.writeBytes(try reader.readBytes()) }
                try copyValue(from: &reader, to: &writer, of: oldValues, depth: innerDepth)
            }
        default:
            reader.seek(to: valueStart)
            try reader.skipValue()
            writer.writeRawBytes(oldValues[valueStart..<reader.position])
        }
    }
}
