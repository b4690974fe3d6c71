/// Ordered list of records, as in an archive file but without framing.
///
/// The payloads are stored in buffers that several lists and other code can share. Each payload is a contiguous span of
/// bytes that stays in place until it has been written.
public struct RecordList: Sendable {
    /// Location of one record's payload.
    public struct Span: Sendable {
        /// Type of the record.
        public var type: RecordType
        /// Index of the payload's buffer in ``RecordList/buffers``.
        public var buffer: Int
        /// Offset of the payload in the buffer.
        public var start: Int
        /// Length of the payload in bytes.
        public var count: Int

        /// Creates a span from the position of a payload in a buffer.
        @inlinable public init(type: RecordType, buffer: Int, start: Int, count: Int) {
            self.type = type
            self.buffer = buffer
            self.start = start
            self.count = count
        }
    }

    /// Buffers that contain the payloads.
    public private(set) var buffers: [[UInt8]] = []
    /// Locations of the records' payloads, in record order.
    public private(set) var spans: [Span] = []
    /// Markers for the ends of passes, each with the number of records that precede it.
    public private(set) var ends: [(count: Int, end: PassEnd)] = []
    /// Total length of all payloads in bytes.
    public private(set) var payloadByteCount = 0
    /// Index of the buffer to which this list appends, or `nil` if the list has no such buffer yet.
    private var ownBufferIndex: Int?

    /// Creates an empty list.
    public init() {}

    /// Creates an empty list for records whose payloads are in the given buffers.
    public init(in buffers: [[UInt8]]) { self.buffers = buffers }

    /// Creates a list of records whose payloads are in a single buffer.
    public init(_ spans: [Span], in buffer: [UInt8]) {
        buffers = [buffer]
        self.spans = spans
        payloadByteCount = spans.reduce(0) { $0 + $1.count }
    }

    /// Number of records.
    public var count: Int { spans.count }

    /// Whether the list has no records.
    public var isEmpty: Bool { spans.isEmpty }

    /// Reserves memory for additional records, and for additional payload bytes in the list's own buffer.
    public mutating func reserveCapacity(_ count: Int, byteCount: Int = 0) {
        spans.reserveCapacity(spans.count + count)
        if byteCount > 0 {
            let ownBufferIndex = prepareOwnBuffer()
            buffers[ownBufferIndex].reserveCapacity(buffers[ownBufferIndex].count + byteCount)
        }
    }

    /// Removes all records, but retains the buffers.
    public mutating func removeRecords() {
        spans.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        payloadByteCount = 0
    }

    // MARK: Adding

    /// Appends a record whose payload is in one of the list's buffers.
    public mutating func append(_ span: Span) {
        spans.append(span)
        payloadByteCount += span.count
    }

    /// Marks the end of a pass after the last record.
    public mutating func endPass(_ end: PassEnd) {
        ends.append((spans.count, end))
    }

    /// Adds a buffer that other code can share, and returns its index.
    public mutating func addBuffer(_ buffer: [UInt8]) -> Int {
        buffers.append(buffer)
        return buffers.count - 1
    }

    /// Appends the records of another list.
    public mutating func append(_ other: RecordList) {
        if isEmpty, buffers.isEmpty {
            self = other
            return
        }
        let bufferOffset = buffers.count
        for end in other.ends { ends.append((spans.count + end.count, end.end)) }
        for var span in other.spans {
            span.buffer += bufferOffset
            spans.append(span)
        }
        buffers += other.buffers
        payloadByteCount += other.payloadByteCount
    }

    /// Appends a record, calling a closure to write the payload to the list's own buffer.
    ///
    /// - Parameters:
    ///   - type: The type of the record.
    ///   - capacity: The length of the payload in bytes, or 0 if it is unknown.
    ///   - body: A closure that appends the payload to a buffer.
    public mutating func encode(
        _ type: RecordType, capacity: Int = 0, _ body: (inout [UInt8]) -> Void
    ) {
        let ownBufferIndex = prepareOwnBuffer()
        if buffers[ownBufferIndex].isEmpty { buffers[ownBufferIndex].reserveCapacity(capacity) }
        let start = buffers[ownBufferIndex].count
        body(&buffers[ownBufferIndex])
        append(
            Span(
                type: type, buffer: ownBufferIndex, start: start,
                count: buffers[ownBufferIndex].count - start))
    }

    private mutating func prepareOwnBuffer() -> Int {
        if let ownBufferIndex { return ownBufferIndex }
        let index = addBuffer([])
        ownBufferIndex = index
        return index
    }

    // MARK: Reading

    /// Returns the payload of a record.
    @inlinable public func payload(of span: Span) -> ArraySlice<UInt8> {
        buffers[span.buffer][span.start..<span.start + span.count]
    }

    /// Calls a closure with the payload of a record.
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
    /// Returns whether two lists contain equal records and equal ends of passes.
    public static func == (one: RecordList, other: RecordList) -> Bool {
        one.spans.elementsEqual(other.spans) {
            $0.type == $1.type && one.payload(of: $0) == other.payload(of: $1)
        } && one.ends.elementsEqual(other.ends, by: ==)
    }
}

extension RecordList.Span {
    /// Writes the numbers of an object and its parent into the object's record.
    ///
    /// In the record of an out-of-line value, only the object's number is written.
    ///
    /// - Parameter bytes: The bytes of the record's buffer.
    @inlinable public func writeNumbers(
        _ number: UInt32, below parent: UInt32, in bytes: UnsafeMutableRawBufferPointer
    ) {
        bytes.storeBytes(of: number.littleEndian, toByteOffset: start, as: UInt32.self)
        if type == .value { return }
        bytes.storeBytes(of: parent.littleEndian, toByteOffset: start + 4, as: UInt32.self)
    }

    /// Returns whether the record contains the given identifier.
    ///
    /// The result is `true` for an out-of-line value, because its record contains no identifier.
    public func hasIdentifier(
        _ identifier: String, in bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let payload = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        return type == .value || ObjectFields(payload).identifier.elementsEqual(identifier.utf8)
    }

    /// Replaces the identifier in an object's record by writing a new record at the end of the buffer.
    public mutating func rename(to identifier: String, in bytes: inout [UInt8]) {
        // Copies the bytes, because a slice would cause a copy of the whole buffer when the buffer grows.
        let oldBytes = Array(bytes[start..<start + count])
        let (header, keys, valuesStart) = oldBytes.withUnsafeBytes {
            let fields = ObjectFields($0)
            return (fields.header, fields.keys, fields.valuesStart)
        }
        var renamedHeader = header
        renamedHeader.identifier = identifier
        start = bytes.count
        bytes.append(renamedHeader, keys: keys)
        bytes.append(contentsOf: oldBytes.dropFirst(valuesStart))
        count = bytes.count - start
    }
}

/// Type of a record. The raw values are the numbers used in the file.
public enum RecordType: UInt8, Sendable {
    /// Name and the number assigned to it.
    case name = 1
    /// State of an object. It replaces the object's earlier state.
    case object = 2
    /// Removal of an object and its descendants.
    case removal = 3
    /// Empty record that ends a pass without other records.
    case nothing = 4
    /// Clean shutdown of the application.
    case closed = 5
    /// Launch of the application.
    case opened = 6
    /// New header for an object.
    case placement = 7
    /// Large value of an object.
    case value = 8
    /// Patch that replaces part of an object's values.
    case patch = 9
}

/// End of a pass, with the scene and the time of the pass.
public struct PassEnd: Sendable, Equatable {
    /// Object number of the scene, or 0 if the pass belongs to no scene.
    public var scene: UInt32
    /// Time of the pass in microseconds since 1970-01-01 UTC. The time is displayed but never compared.
    public var timestamp: Int64

    /// Creates the end of a pass. Omitted values are 0.
    public init(scene: UInt32 = 0, timestamp: Int64 = 0) {
        self.scene = scene
        self.timestamp = timestamp
    }
}
