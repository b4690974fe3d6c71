/// The buffers that a store's records lie in: a file that was read, and what was recorded since.
///
/// A segment is never changed once it is full, and goes when nothing in it counts any more. What is
/// left in many of them is gathered in a new one as soon as more than half of all bytes are dead.
struct Segments: Sendable {
    /// The place of some bytes.
    struct Span: Sendable {
        var segment: Int32
        var start: UInt32
        var count: UInt32

        /// No bytes.
        static let empty = Span(segment: -1, start: 0, count: 0)
    }

    private struct Segment: Sendable {
        var bytes: [UInt8] = []
        /// How many bytes of it count.
        var live = 0
        /// Whether more of it may come to count.
        var isHeld = false
        /// Whether another one may take its place.
        var isFree = false
    }

    private var segments: [Segment] = []
    private var free: [Int] = []
    /// Segments in which nothing counted when they were last looked at.
    private var mayBeDead: [Int] = []
    /// The segment that is appended to.
    private var open: Int?
    /// How many bytes count.
    private(set) var live = 0
    /// How many do not, in segments that are not held.
    private var dead = 0

    /// What a segment takes beside its bytes.
    private static let overhead = 64
    private static let fewBytes = 1 << 20
    /// The most bytes of a segment, so that a span can tell every place in it.
    static let mostBytes = Int(Int32.max)

    /// The buffers of all segments, each at its segment's place.
    var buffers: [[UInt8]] { segments.map(\.bytes) }

    /// The buffer of a segment.
    func bytes(of segment: Int32) -> [UInt8] { segments[Int(segment)].bytes }

    // MARK: Spans

    /// Bytes that copies share.
    subscript(span: Span) -> ArraySlice<UInt8> {
        if span.segment < 0 { return [] }
        return segments[Int(span.segment)].bytes[
            Int(span.start)..<Int(span.start) + Int(span.count)]
    }

    /// Reads bytes in place.
    func read<Result>(_ span: Span, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        segments[Int(span.segment)].bytes.withUnsafeBytes {
            body(
                UnsafeRawBufferPointer(
                    rebasing: $0[Int(span.start)..<Int(span.start) + Int(span.count)]))
        }
    }

    // MARK: Segments

    /// Adds a buffer of at most ``mostBytes``; nothing in it counts yet.
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

    /// Bytes of a segment count from now on.
    mutating func keep(_ segment: Int, _ start: Int, _ count: Int) -> Span {
        segments[segment].live += count
        live += count
        if !segments[segment].isHeld { dead -= count }
        return Span(segment: Int32(segment), start: UInt32(start), count: UInt32(count))
    }

    /// Bytes count that the body appends to a segment.
    mutating func append(_ body: (inout [UInt8]) -> Void) -> Span {
        let place = open ?? add([])
        open = place
        let start = segments[place].bytes.count
        body(&segments[place].bytes)
        let count = segments[place].bytes.count - start
        segments[place].live += count
        live += count
        if segments[place].bytes.count > Self.mostBytes / 2 { open = nil }
        return Span(segment: Int32(place), start: UInt32(start), count: UInt32(count))
    }

    /// Bytes count no more.
    mutating func release(_ span: Span) {
        let place = Int(span.segment)
        if place < 0 || span.count == 0 { return }
        segments[place].live -= Int(span.count)
        live -= Int(span.count)
        if !segments[place].isHeld { dead += Int(span.count) }
        if segments[place].live == 0 { mayBeDead.append(place) }
    }

    /// Nothing more of a segment comes to count.
    mutating func endHolding(_ place: Int) {
        segments[place].isHeld = false
        dead += segments[place].bytes.count + Self.overhead - segments[place].live
        mayBeDead.append(place)
    }

    /// Lets the segments go in which nothing counts. The one that was appended to is full.
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

    /// Whether what counts is to be gathered in a new segment.
    var isWorthGathering: Bool { dead > live + Self.fewBytes }

    /// Begins to gather: what is moved goes to a new segment.
    mutating func beginGathering() { open = nil }

    /// Moves bytes to the segment that is appended to, unless their segment is held.
    mutating func gather(_ span: Span) -> Span {
        if span.segment < 0 || segments[Int(span.segment)].isHeld { return span }
        let bytes = segments[Int(span.segment)].bytes
        let range = Int(span.start)..<Int(span.start) + Int(span.count)
        release(span)
        return append { $0 += bytes[range] }
    }
}
