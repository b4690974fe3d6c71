/// Records in their order, as an archive's file has them but for what frames each one.
///
/// Their payloads lie in buffers, which lists and the ``ObjectStore`` share: a record is one span of
/// bytes from where it was encoded, or read, to where it is written.
package struct RecordList: Sendable {
    /// The place of one record.
    struct Span: Sendable {
        var type: ArchiveFormat.RecordType
        /// The place of its buffer in ``RecordList/buffers``.
        var buffer: Int
        /// Where its payload begins in the buffer.
        var start: Int
        /// How many bytes the payload has.
        var count: Int
    }

    /// The buffers that payloads lie in.
    private(set) var buffers: [[UInt8]] = []
    private(set) var spans: [Span] = []
    /// The ends of passes, each behind so many records.
    private(set) var ends: [(count: Int, end: PassEnd)] = []
    /// The records' length in a file, in bytes.
    private(set) var byteCount = 0
    /// The place of the buffer that is appended to; nil: of none yet.
    private var own: Int?

    /// A list without records.
    init() {}

    /// A list without records, for some that lie in a buffer.
    init(in buffer: [UInt8]) { buffers = [buffer] }

    /// A list without records, for some of another list.
    init(sharing other: RecordList) { buffers = other.buffers }

    /// A list without records, for some that lie in segments.
    init(sharing segments: Segments) { buffers = segments.buffers }

    /// How many records there are.
    var count: Int { spans.count }

    /// Whether there is no record.
    var isEmpty: Bool { spans.isEmpty }

    /// Makes room for so many more records, with so many bytes of payload in the list's own buffer.
    mutating func reserveCapacity(_ count: Int, byteCount: Int = 0) {
        spans.reserveCapacity(spans.count + count)
        if byteCount > 0 {
            let own = ownBuffer()
            buffers[own].reserveCapacity(buffers[own].count + byteCount)
        }
    }

    /// Forgets the records, and keeps the buffers.
    mutating func removeRecords() {
        spans.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    // MARK: Adding

    /// Adds a record that lies in one of the buffers.
    mutating func append(_ span: Span) {
        spans.append(span)
        byteCount += ArchiveFormat.smallestRecord + span.count
    }

    /// The last record is the last of a pass.
    mutating func endPass(_ end: PassEnd) {
        ends.append((spans.count, end))
        byteCount += ArchiveFormat.endLength
    }

    /// Shares a buffer, and gives its place.
    mutating func share(_ buffer: [UInt8]) -> Int {
        buffers.append(buffer)
        return buffers.count - 1
    }

    /// Adds the records of another list.
    mutating func append(_ other: RecordList) {
        if isEmpty, buffers.isEmpty {
            self = other
            return
        }
        let shift = buffers.count
        for end in other.ends { ends.append((spans.count + end.count, end.end)) }
        for var span in other.spans {
            span.buffer += shift
            spans.append(span)
        }
        buffers += other.buffers
        byteCount += other.byteCount
    }

    /// Adds a record, whose payload is encoded.
    mutating func append(_ record: ArchiveRecord, end: PassEnd? = nil) {
        encode(record.type) { $0.append(payloadOf: record) }
        if let end { endPass(end) }
    }

    /// Adds a record whose payload the body appends to the list's own buffer.
    ///
    /// - Parameter capacity: how many bytes it has, if that is known.
    mutating func encode(
        _ type: ArchiveFormat.RecordType, capacity: Int = 0, _ body: (inout [UInt8]) -> Void
    ) {
        let own = ownBuffer()
        if buffers[own].isEmpty { buffers[own].reserveCapacity(capacity) }
        let start = buffers[own].count
        body(&buffers[own])
        append(Span(type: type, buffer: own, start: start, count: buffers[own].count - start))
    }

    private mutating func ownBuffer() -> Int {
        if let own { return own }
        let made = share([])
        own = made
        return made
    }

    // MARK: Reading

    /// The payload of a record.
    func payload(of span: Span) -> ArraySlice<UInt8> {
        buffers[span.buffer][span.start..<span.start + span.count]
    }

    /// Reads the payload of a record.
    func withPayload<Result>(of span: Span, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        buffers[span.buffer].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[span.start..<span.start + span.count]))
        }
    }

    /// The records one by one.
    var records: [ArchiveRecord] {
        spans.map { ArchiveRecord($0.type, payload: payload(of: $0)) }
    }
}

extension RecordList {
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

extension RecordList: Equatable {
    /// Whether both have equal records and ends.
    package static func == (one: RecordList, other: RecordList) -> Bool {
        one.records == other.records && one.ends.elementsEqual(other.ends, by: ==)
    }
}

/// The fields of an object's payload, or of a placement's; see `docs/Archive.md`.
struct ObjectFields {
    let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: a payload that was checked, or encoded here.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var number: UInt32 { bytes.littleEndian(at: 0) }
    var parent: UInt32 { bytes.littleEndian(at: 4) }
    /// The numbers of the names of class, restoration class, storyboard, and the one in it.
    var names: SIMD4<UInt32> {
        SIMD4(
            bytes.littleEndian(at: 8), bytes.littleEndian(at: 12), bytes.littleEndian(at: 16),
            bytes.littleEndian(at: 20))
    }
    var kind: UInt8 { bytes[24] }
    private var identifierCount: Int { Int(bytes.littleEndian(at: 26) as UInt16) }
    var keyCount: Int { Int(bytes.littleEndian(at: 28) as UInt16) }
    /// How many bytes come before the keys: what a placement may change.
    var headerCount: Int { ArchiveFormat.objectPrefix + identifierCount }
    /// Where the values begin.
    var valuesStart: Int { headerCount + 4 * keyCount }
    var values: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[valuesStart...]) }

    var identifier: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: bytes[
                ArchiveFormat.objectPrefix..<ArchiveFormat.objectPrefix + identifierCount])
    }

    /// The key of an out-of-line value.
    func key(_ index: Int) -> UInt32 { bytes.littleEndian(at: headerCount + 4 * index) }

    var keys: [UInt32] { (0..<keyCount).map(key) }

    var header: ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: kind,
            identifier: String(decoding: identifier, as: UTF8.self), classToken: names[0],
            restorationClassToken: names[1], storyboard: names[2], storyboardIdentifier: names[3])
    }

    /// Whether another object has the same header.
    func hasHeader(of other: ObjectFields) -> Bool {
        headerCount == other.headerCount && kind == other.kind && names == other.names
            && number == other.number && parent == other.parent
            && identifier.elementsEqual(other.identifier)
    }

    /// Whether a payload is as long as it says, and its text is one.
    var isLegal: Bool {
        bytes.count >= ArchiveFormat.objectPrefix && bytes[25] == 0 && valuesStart <= bytes.count
            && identifier.isUTF8
    }
}

extension UnsafeRawBufferPointer {
    /// The number at an offset, which must be wholly there.
    func littleEndian<Number: FixedWidthInteger>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Whether the bytes are text.
    var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
