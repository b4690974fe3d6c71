/// Buffers that contain a store's records, both records read from the file and records of later passes.
///
/// A full segment never changes, and is removed when it no longer contains any live record. When more than about half
/// of all bytes are obsolete, all live records are moved to a new segment.
struct RecordSegments: Sendable {
    /// A range of bytes in a segment.
    struct Span: Sendable {
        var segment: Int32
        var start: UInt32
        var count: UInt32

        /// Empty range.
        static let empty = Span(segment: -1, start: 0, count: 0)
    }

    private struct Segment: Sendable {
        var bytes: [UInt8] = []
        /// Number of live bytes in the segment.
        var liveByteCount = 0
        /// Whether more bytes in the segment may become live.
        var isPinned = false
        /// Whether the segment's index may be reused.
        var isFree = false
    }

    private var segments: [Segment] = []
    private var freeIndexes: [Int] = []
    /// Indexes of segments that might not contain any live bytes.
    private var possiblyDeadSegments: [Int] = []
    /// Segment to which new bytes are appended.
    private var openSegment: Int?
    /// Number of live bytes in all segments.
    private(set) var liveByteCount = 0
    /// Number of obsolete bytes in all segments that are not pinned, including the overhead of these segments.
    private var deadByteCount = 0

    /// Memory overhead of a segment in bytes.
    private static let overheadByteCount = 64
    private static let minimumDeadBytes = 1 << 20
    /// Maximum length of a segment in bytes. Spans can refer to any part of a segment of this length.
    static let maximumBytes = Int(Int32.max)

    /// The buffers of all segments, in the order of their indexes.
    var buffers: [[UInt8]] { segments.map(\.bytes) }

    /// Returns a segment's buffer.
    func bytes(of segment: Int32) -> [UInt8] { segments[Int(segment)].bytes }

    // MARK: Spans

    /// The bytes in a span. They share the segment's storage.
    subscript(span: Span) -> ArraySlice<UInt8> {
        if span.segment < 0 { return [] }
        return segments[Int(span.segment)].bytes[
            Int(span.start)..<Int(span.start) + Int(span.count)]
    }

    /// Passes the bytes in a span to a closure without copying them.
    func read<Result>(_ span: Span, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        segments[Int(span.segment)].bytes.withUnsafeBytes {
            body(
                UnsafeRawBufferPointer(
                    rebasing: $0[Int(span.start)..<Int(span.start) + Int(span.count)]))
        }
    }

    // MARK: Segments

    /// Adds a buffer of at most ``maximumBytes`` bytes, and returns the index of its segment. None of its bytes are
    /// live yet.
    mutating func add(_ bytes: [UInt8], isPinned: Bool = false) -> Int {
        let segment = Segment(bytes: bytes, isPinned: isPinned)
        if !isPinned { deadByteCount += bytes.count + Self.overheadByteCount }
        if let index = freeIndexes.popLast() {
            segments[index] = segment
            possiblyDeadSegments.append(index)
            return index
        }
        segments.append(segment)
        possiblyDeadSegments.append(segments.count - 1)
        return segments.count - 1
    }

    /// Marks bytes in a segment as live.
    mutating func markLive(_ segment: Int, _ start: Int, _ count: Int) -> Span {
        segments[segment].liveByteCount += count
        liveByteCount += count
        if !segments[segment].isPinned { deadByteCount -= count }
        return Span(segment: Int32(segment), start: UInt32(start), count: UInt32(count))
    }

    /// Calls a closure that appends bytes to the open segment, and marks these bytes as live.
    mutating func append(_ body: (inout [UInt8]) -> Void) -> Span {
        let index = openSegment ?? add([])
        openSegment = index
        let start = segments[index].bytes.count
        body(&segments[index].bytes)
        let count = segments[index].bytes.count - start
        segments[index].liveByteCount += count
        liveByteCount += count
        if segments[index].bytes.count > Self.maximumBytes / 2 { openSegment = nil }
        return Span(segment: Int32(index), start: UInt32(start), count: UInt32(count))
    }

    /// Marks bytes as obsolete.
    mutating func release(_ span: Span) {
        let index = Int(span.segment)
        if span.count == 0 { return }
        segments[index].liveByteCount -= Int(span.count)
        liveByteCount -= Int(span.count)
        if !segments[index].isPinned { deadByteCount += Int(span.count) }
        if segments[index].liveByteCount == 0 { possiblyDeadSegments.append(index) }
    }

    /// Unpins a segment. From then on, no more of its bytes may become live.
    mutating func unpin(_ index: Int) {
        segments[index].isPinned = false
        deadByteCount +=
            segments[index].bytes.count + Self.overheadByteCount - segments[index].liveByteCount
        possiblyDeadSegments.append(index)
    }

    /// Removes segments that contain no live bytes. The open segment is closed.
    mutating func removeDeadSegments() {
        openSegment = nil
        for index in possiblyDeadSegments {
            let segment = segments[index]
            if segment.liveByteCount > 0 || segment.isPinned || segment.isFree { continue }
            deadByteCount -= segment.bytes.count + Self.overheadByteCount
            segments[index] = Segment(isFree: true)
            freeIndexes.append(index)
        }
        possiblyDeadSegments.removeAll(keepingCapacity: true)
    }

    // MARK: Compaction

    /// Whether live bytes should be moved to a new segment.
    var needsCompaction: Bool { deadByteCount > liveByteCount + Self.minimumDeadBytes }

    /// Closes the open segment, so that live bytes are moved to a new segment.
    mutating func beginCompaction() { openSegment = nil }

    /// Moves live bytes to the open segment unless their own segment is pinned, and returns their new span.
    mutating func relocate(_ span: Span) -> Span {
        if span.segment < 0 || segments[Int(span.segment)].isPinned { return span }
        let bytes = segments[Int(span.segment)].bytes
        let range = Int(span.start)..<Int(span.start) + Int(span.count)
        release(span)
        return append { $0 += bytes[range] }
    }
}
