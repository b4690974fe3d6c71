/// Buffers that contain the records of a store, from a file that was read and from later passes.
///
/// A full segment never changes, and is removed when it contains no live record. When more than half of all bytes are
/// obsolete, the live records of many segments are moved to a new segment.
struct Segments: Sendable {
    /// Range of bytes in a segment.
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
        var live = 0
        /// Whether more bytes of the segment may become live.
        var isHeld = false
        /// Whether the index may be reused for another segment.
        var isFree = false
    }

    private var segments: [Segment] = []
    private var free: [Int] = []
    /// Segments that contained no live bytes when they were last checked.
    private var mayBeDead: [Int] = []
    /// Segment to which new bytes are appended.
    private var open: Int?
    /// Number of live bytes.
    private(set) var live = 0
    /// Number of obsolete bytes in segments that are not held.
    private var dead = 0

    /// Memory that a segment needs in addition to its bytes.
    private static let overhead = 64
    private static let fewBytes = 1 << 20
    /// Maximum length of a segment. A span can refer to all bytes of a segment of this length.
    static let maximumBytes = Int(Int32.max)

    /// Buffers of all segments, in the order of their indexes.
    var buffers: [[UInt8]] { segments.map(\.bytes) }

    /// Returns the buffer of a segment.
    func bytes(of segment: Int32) -> [UInt8] { segments[Int(segment)].bytes }

    // MARK: Spans

    /// Bytes of a span, which share the segment's storage.
    subscript(span: Span) -> ArraySlice<UInt8> {
        if span.segment < 0 { return [] }
        return segments[Int(span.segment)].bytes[
            Int(span.start)..<Int(span.start) + Int(span.count)]
    }

    /// Passes the bytes of a span to a closure without copying them.
    func read<Result>(_ span: Span, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        segments[Int(span.segment)].bytes.withUnsafeBytes {
            body(
                UnsafeRawBufferPointer(
                    rebasing: $0[Int(span.start)..<Int(span.start) + Int(span.count)]))
        }
    }

    // MARK: Segments

    /// Adds a buffer of at most ``maximumBytes`` bytes. None of the bytes is live yet.
    mutating func add(_ bytes: [UInt8], isHeld: Bool = false) -> Int {
        let segment = Segment(bytes: bytes, isHeld: isHeld)
        if !isHeld { dead += bytes.count + Self.overhead }
        if let place = free.popLast() {
            segments[place] = segment
            mayBeDead.append(place)
            return place
        }
        segments.append(segment)
        mayBeDead.append(segments.count - 1)
        return segments.count - 1
    }

    /// Marks bytes of a segment as live.
    mutating func markLive(_ segment: Int, _ start: Int, _ count: Int) -> Span {
        segments[segment].live += count
        live += count
        if !segments[segment].isHeld { dead -= count }
        return Span(segment: Int32(segment), start: UInt32(start), count: UInt32(count))
    }

    /// Appends bytes to the open segment and marks them as live. The closure appends the bytes.
    mutating func append(_ body: (inout [UInt8]) -> Void) -> Span {
        let place = open ?? add([])
        open = place
        let start = segments[place].bytes.count
        body(&segments[place].bytes)
        let count = segments[place].bytes.count - start
        segments[place].live += count
        live += count
        if segments[place].bytes.count > Self.maximumBytes / 2 { open = nil }
        return Span(segment: Int32(place), start: UInt32(start), count: UInt32(count))
    }

    /// Marks bytes as obsolete.
    mutating func release(_ span: Span) {
        let place = Int(span.segment)
        if place < 0 || span.count == 0 { return }
        segments[place].live -= Int(span.count)
        live -= Int(span.count)
        if !segments[place].isHeld { dead += Int(span.count) }
        if segments[place].live == 0 { mayBeDead.append(place) }
    }

    /// Stops holding a segment, after which no more of its bytes become live.
    mutating func endHolding(_ place: Int) {
        segments[place].isHeld = false
        dead += segments[place].bytes.count + Self.overhead - segments[place].live
        mayBeDead.append(place)
    }

    /// Removes segments that contain no live bytes. The open segment then counts as full.
    mutating func removeDead() {
        open = nil
        for place in mayBeDead {
            let segment = segments[place]
            if segment.live > 0 || segment.isHeld || segment.isFree { continue }
            dead -= segment.bytes.count + Self.overhead
            segments[place] = Segment(isFree: true)
            free.append(place)
        }
        mayBeDead.removeAll(keepingCapacity: true)
    }

    // MARK: Gathering

    /// Whether live bytes should be moved to a new segment.
    var isWorthGathering: Bool { dead > live + Self.fewBytes }

    /// Starts a new segment for the live bytes that are moved.
    mutating func beginGathering() { open = nil }

    /// Moves bytes to the open segment, unless their own segment is held.
    mutating func gather(_ span: Span) -> Span {
        if span.segment < 0 || segments[Int(span.segment)].isHeld { return span }
        let bytes = segments[Int(span.segment)].bytes
        let range = Int(span.start)..<Int(span.start) + Int(span.count)
        release(span)
        return append { $0 += bytes[range] }
    }
}
