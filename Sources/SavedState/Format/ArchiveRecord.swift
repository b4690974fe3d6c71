import ExactText
package import StateRecords

/// Record in an archive. `docs/Archive.md` describes how records are encoded.
package enum ArchiveRecord: Sendable, Equatable {
    /// Assignment of a permanent number to a name.
    case name(number: UInt32, text: String)
    /// Newest state of an object, which replaces any earlier record with the same object number.
    ///
    /// The record contains the keys of out-of-line values, but not the values. The previous value for a key is retained
    /// unless the same pass replaces it.
    indirect case object(ObjectRecord)
    /// New header for an object. The object's values do not change.
    indirect case placement(ObjectHeader)
    /// Large value of an object. It is stored in a separate record.
    indirect case value(object: UInt32, OutOfLineValue)
    /// Patch that replaces part of an object's values. The other parts do not change.
    indirect case patch(ValuesPatch)
    /// Removal of an object and all its descendants. If no object has the number, the record only marks the number as
    /// assigned.
    case removal(number: UInt32)
    /// Empty record that ends a pass without other records.
    case nothing
    /// The application shut down cleanly, with nothing left to save.
    case closed
    /// The application was launched from this archive.
    case opened
}

extension ArchiveRecord {
    /// Decodes a payload that ``ArchiveFormat/isWellFormed(_:_:)`` accepts.
    init(_ type: RecordType, payload: ArraySlice<UInt8>) {
        let start = payload.startIndex
        func number(at offset: Int) -> UInt32 {
            payload.withUnsafeBytes { $0.littleEndian(at: offset) }
        }
        switch type {
        case .name:
            self = .name(
                number: number(at: 0), text: String(decoding: payload.dropFirst(4), as: UTF8.self))
        case .object:
            let (header, keys, valuesStart) = payload.withUnsafeBytes {
                let fields = ObjectFields($0)
                return (fields.header, fields.keys, fields.valuesStart)
            }
            self = .object(
                ObjectRecord(
                    header: header, values: payload[(start + valuesStart)...],
                    outOfLine: keys.map { OutOfLineValue(key: $0, bytes: []) }))
        case .placement: self = .placement(payload.withUnsafeBytes { ObjectFields($0).header })
        case .value:
            self = .value(
                object: number(at: 0),
                OutOfLineValue(key: number(at: 4), bytes: payload[(start + 8)...]))
        case .patch:
            self = .patch(
                ValuesPatch(
                    object: number(at: 0), offset: number(at: 4), removedByteCount: number(at: 8),
                    bytes: payload[(start + 12)...]))
        case .removal: self = .removal(number: number(at: 0))
        case .nothing: self = .nothing
        case .closed: self = .closed
        case .opened: self = .opened
        }
    }
}

extension [UInt8] {
    /// Appends a record's payload.
    mutating func append(payloadOf record: ArchiveRecord) {
        switch record {
        case .name(let number, let text):
            appendLittleEndian(number)
            self += text.utf8
        case .object(let object):
            append(object.header, keys: object.outOfLine.map(\.key))
            self += object.values
        case .placement(let header): append(header)
        case .value(let objectNumber, let value): append(objectNumber, value)
        case .patch(let patch):
            appendLittleEndian(patch.object)
            appendLittleEndian(patch.offset)
            appendLittleEndian(patch.removedByteCount)
            self += patch.bytes
        case .removal(let number): appendLittleEndian(number)
        case .nothing, .closed, .opened: break
        }
    }
}

extension RecordList {
    /// Encodes a record and adds it.
    mutating func append(_ record: ArchiveRecord, end: PassEnd? = nil) {
        encode(record.type) { $0.append(payloadOf: record) }
        if let end { endPass(end) }
    }

    /// The decoded records.
    var records: [ArchiveRecord] { spans.map { ArchiveRecord($0.type, payload: payload(of: $0)) } }

    /// Total length of the encoded records in a file, in bytes.
    var byteCount: Int {
        payloadByteCount + count * ArchiveFormat.minimumRecordBytes
            + ends.count * ArchiveFormat.passEndByteCount
    }

    /// List with one ``ArchiveRecord/opened`` record.
    static var opened: RecordList {
        var records = RecordList()
        records.append(ArchiveRecord.opened)
        return records
    }

    /// List with one ``ArchiveRecord/closed`` record.
    static var closed: RecordList {
        var records = RecordList()
        records.append(ArchiveRecord.closed, end: PassEnd())
        return records
    }
}
