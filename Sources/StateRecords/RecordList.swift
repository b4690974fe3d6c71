/// Records in their order, as an archive's file has them but for what frames each one.
///
/// Their payloads lie in buffers, which lists share with each other and with who keeps them: a record
/// is one span of bytes from where it was encoded, or read, to where it is written.
public struct RecordList: Sendable {
    /// The place of one record.
    public struct Span: Sendable {
        /// What it says.
        public var type: RecordType
        /// The place of its buffer in ``RecordList/buffers``.
        public var buffer: Int
        /// Where its payload begins in the buffer.
        public var start: Int
        /// How many bytes the payload has.
        public var count: Int

        /// The place of a payload in a buffer.
        @inlinable public init(type: RecordType, buffer: Int, start: Int, count: Int) {
            self.type = type
            self.buffer = buffer
            self.start = start
            self.count = count
        }
    }

    /// The buffers that payloads lie in.
    public private(set) var buffers: [[UInt8]] = []
    /// The places of the records.
    public private(set) var spans: [Span] = []
    /// The ends of passes, each behind so many records.
    public private(set) var ends: [(count: Int, end: PassEnd)] = []
    /// How many bytes their payloads have.
    public private(set) var payloadByteCount = 0
    /// The place of the buffer that is appended to; nil: of none yet.
    private var own: Int?

    /// A list without records.
    public init() {}

    /// A list without records, for some that lie in these buffers.
    public init(in buffers: [[UInt8]]) { self.buffers = buffers }

    /// A list of records that lie in one buffer.
    public init(_ spans: [Span], in buffer: [UInt8]) {
        buffers = [buffer]
        self.spans = spans
        payloadByteCount = spans.reduce(0) { $0 + $1.count }
    }

    /// How many records there are.
    public var count: Int { spans.count }

    /// Whether there is no record.
    public var isEmpty: Bool { spans.isEmpty }

    /// Makes room for so many more records, with so many bytes of payload in the list's own buffer.
    public mutating func reserveCapacity(_ count: Int, byteCount: Int = 0) {
        spans.reserveCapacity(spans.count + count)
        if byteCount > 0 {
            let own = ownBuffer()
            buffers[own].reserveCapacity(buffers[own].count + byteCount)
        }
    }

    /// Forgets the records, and keeps the buffers.
    public mutating func removeRecords() {
        spans.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        payloadByteCount = 0
    }

    // MARK: Adding

    /// Adds a record that lies in one of the buffers.
    public mutating func append(_ span: Span) {
        spans.append(span)
        payloadByteCount += span.count
    }

    /// The last record is the last of a pass.
    public mutating func endPass(_ end: PassEnd) {
        ends.append((spans.count, end))
    }

    /// Shares a buffer, and gives its place.
    public mutating func share(_ buffer: [UInt8]) -> Int {
        buffers.append(buffer)
        return buffers.count - 1
    }

    /// Adds the records of another list.
    public mutating func append(_ other: RecordList) {
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
        payloadByteCount += other.payloadByteCount
    }

    /// Adds a record whose payload the body appends to the list's own buffer.
    ///
    /// - Parameter capacity: how many bytes it has, if that is known.
    public mutating func encode(
        _ type: RecordType, capacity: Int = 0, _ body: (inout [UInt8]) -> Void
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
    @inlinable public func payload(of span: Span) -> ArraySlice<UInt8> {
        buffers[span.buffer][span.start..<span.start + span.count]
    }

    /// Reads the payload of a record.
    @inlinable @inline(__always)
    public func withPayload<Result>(
        of span: Span, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        buffers[span.buffer].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[span.start..<span.start + span.count]))
        }
    }
}

extension RecordList: Equatable {
    /// Whether both have equal records and ends.
    public static func == (one: RecordList, other: RecordList) -> Bool {
        one.spans.elementsEqual(other.spans) {
            $0.type == $1.type && one.payload(of: $0) == other.payload(of: $1)
        } && one.ends.elementsEqual(other.ends, by: ==)
    }
}

extension RecordList.Span {
    /// Tells an object's record, or that of an out-of-line value, where the object stands.
    ///
    /// - Parameter bytes: those of the record's buffer.
    @inlinable public func place(
        _ number: UInt32, below parent: UInt32, in bytes: UnsafeMutableRawBufferPointer
    ) {
        bytes.storeBytes(of: number.littleEndian, toByteOffset: start, as: UInt32.self)
        if type == .value { return }
        bytes.storeBytes(of: parent.littleEndian, toByteOffset: start + 4, as: UInt32.self)
    }

    /// Whether an object has an identifier in its record; true of an out-of-line value.
    public func hasIdentifier(
        _ identifier: String, in bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        return type == .value || ObjectFields(payload).identifier.elementsEqual(identifier.utf8)
    }

    /// Gives an object another identifier in its record, which is written anew behind all others.
    public mutating func rename(to identifier: String, in bytes: inout [UInt8]) {
        // A copy: a slice would make the buffer be copied when it grows.
        let old = Array(bytes[start..<start + count])
        let (header, keys, valuesStart) = old.withUnsafeBytes {
            let fields = ObjectFields($0)
            return (fields.header, fields.keys, fields.valuesStart)
        }
        var renamed = header
        renamed.identifier = identifier
        start = bytes.count
        bytes.append(renamed, keys: keys)
        bytes.append(contentsOf: old.dropFirst(valuesStart))
        count = bytes.count - start
    }
}

/// What a record says, by the number that its file has for it.
public enum RecordType: UInt8, Sendable {
    /// Gives a name its number.
    case name = 1
    /// The newest state of an object.
    case object = 2
    /// An object and everything below it are gone.
    case removal = 3
    /// Nothing: for a pass that has no other record to end with.
    case nothing = 4
    /// The application ended in an orderly way.
    case closed = 5
    /// The application was launched.
    case opened = 6
    /// Another header for an object.
    case placement = 7
    /// A large value of an object.
    case value = 8
    /// Another part of an object's values.
    case patch = 9
}
