import Glibc

/// Cuts a stream of bytes into messages at their NULs, in any pieces the bytes come.
///
/// Memory is bounded by the limit and what one read appends. A message longer than the limit is an
/// error as soon as that is known, whether its NUL has come or not.
package struct MessageFrames: Sendable {
    /// The most bytes a message may have, without its NUL.
    package let limit: Int

    private var bytes: [UInt8] = []
    private var head = 0
    private var scanned = 0
    private var terminator: Int?

    /// An empty stream whose messages have at most `limit` bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes are held.
    package var count: Int { bytes.count - head }

    /// Whether ``next()`` gives a message or an error rather than nil.
    package var hasMessage: Bool { terminator != nil || count > limit }

    /// Adds what was read.
    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        if head == bytes.count {
            reset()
        } else if head > bytes.count / 2 {
            bytes.removeFirst(head)
            scanned -= head
            terminator = terminator.map { $0 - head }
            head = 0
        }
        bytes.append(contentsOf: piece)
        scan()
    }

    /// The next whole message without its NUL, or nil while it is not whole.
    /// - Throws: ``MessageError/tooLarge(limit:)`` from then on.
    package mutating func next() throws(MessageError) -> [UInt8]? {
        guard (terminator ?? bytes.count) - head <= limit else { throw .tooLarge(limit: limit) }
        guard let end = terminator else { return nil }
        let message = Array(bytes[head..<end])
        head = end + 1
        terminator = nil
        scan()
        return message
    }

    /// Forgets what is held.
    /// - Returns: How many whole messages that was.
    package mutating func removeAll() -> Int {
        defer { reset() }
        return bytes[head...].count { $0 == 0 }
    }

    /// Looks for the next NUL where nobody has looked yet.
    private mutating func scan() {
        guard terminator == nil, scanned < bytes.count else { return }
        let from = max(scanned, head)
        terminator = bytes.withUnsafeBytes { buffer in
            guard from < buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + from, 0, buffer.count - from)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
        scanned = terminator.map { $0 + 1 } ?? bytes.count
    }

    private mutating func reset() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
        head = 0
        scanned = 0
        terminator = nil
    }
}
