import ExactText
package import StateRecords

/// One record of an archive; its bytes are described in `docs/Archive.md`.
package enum ArchiveRecord: Sendable, Equatable {
    /// Gives a name its number, once and for all.
    case name(number: UInt32, text: String)
    /// The newest state of an object; replaces an earlier record of that number. Of the out-of-line
    /// values only the keys: each keeps its value unless it gets another in the same pass.
    indirect case object(ObjectRecord)
    /// Another header for an object that is known already; its values stay.
    indirect case placement(ObjectHeader)
    /// A large value of an object.
    indirect case value(object: UInt32, OutOfLineValue)
    /// Another part of an object's values; the rest of them stays.
    indirect case patch(ValuesPatch)
    /// The object of that number and everything below it are gone; an unknown number is ignored.
    case removal(number: UInt32)
    /// Nothing: for a pass that has no other record to end with.
    case nothing
    /// The application ended in an orderly way, with nothing left to save.
    case closed
    /// The application was launched from this archive.
    case opened
}

extension ArchiveRecord {
    /// The record of a payload that ``ArchiveFormat/isLegal(_:_:)`` accepts.
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
                    object: number(at: 0), offset: number(at: 4), removed: number(at: 8),
                    bytes: payload[(start + 12)...]))
        case .removal: self = .removal(number: number(at: 0))
        case .nothing: self = .nothing
        case .closed: self = .closed
        case .opened: self = .opened
        }
    }
}

extension [UInt8] {
    /// Appends what a record has between its frame.
    mutating func append(payloadOf record: ArchiveRecord) {
        switch record {
        case .name(let number, let text):
            appendLittleEndian(number)
            self += text.utf8
        case .object(let object):
            append(object.header, keys: object.outOfLine.map(\.key))
            self += object.values
        case .placement(let header): append(header)
        case .value(let object, let value): append(object, value)
        case .patch(let patch):
            appendLittleEndian(patch.object)
            appendLittleEndian(patch.offset)
            appendLittleEndian(patch.removed)
            self += patch.bytes
        case .removal(let number): appendLittleEndian(number)
        case .nothing, .closed, .opened: break
        }
    }
}

extension RecordList {
    /// Adds a record, whose payload is encoded.
    mutating func append(_ record: ArchiveRecord, end: PassEnd? = nil) {
        encode(record.type) { $0.append(payloadOf: record) }
        if let end { endPass(end) }
    }

    /// The records one by one.
    var records: [ArchiveRecord] { spans.map { ArchiveRecord($0.type, payload: payload(of: $0)) } }

    /// The records' length in a file, in bytes.
    var byteCount: Int {
        payloadByteCount + count * ArchiveFormat.smallestRecord
            + ends.count * ArchiveFormat.endLength
    }

    /// Says that the application was launched from the archive.
    static var opened: RecordList {
        var records = RecordList()
        records.append(ArchiveRecord.opened)
        return records
    }

    /// Says that the application ended in an orderly way.
    static var closed: RecordList {
        var records = RecordList()
        records.append(ArchiveRecord.closed, end: PassEnd())
        return records
    }
}
