import Glibc

/// Buffer that splits a stream of bytes into messages at their NULs. The bytes may arrive in pieces of any size.
///
/// Memory is limited to the maximum message size plus the bytes from a single read. A message above the limit causes an
/// error as soon as too many bytes have arrived, even before its NUL.
package struct MessageFrames: Sendable {
    /// Maximum size of a message in bytes, without its NUL.
    package let limit: Int

    private var bytes: [UInt8] = []
    private(set) var head = 0
    private var scanned = 0
    private var terminator: Int?

    /// Creates an empty buffer for messages of at most `limit` bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Number of buffered bytes.
    package var count: Int { bytes.count - head }

    /// Whether the next call to ``next()`` will return a message or throw an error.
    package var hasMessage: Bool { terminator != nil || count > limit }

    /// Appends received bytes.
    package mutating func append(_ chunk: UnsafeRawBufferPointer) {
        if head == bytes.count {
            reset()
        } else if head > bytes.count / 2 {
            bytes.removeFirst(head)
            scanned -= head
            terminator = terminator.map { $0 - head }
            head = 0
        }
        bytes.append(contentsOf: chunk)
        scan()
    }

    /// Returns the next complete message without its NUL, or `nil` if no message is complete.
    /// - Throws: ``MessageError/tooLarge(limit:)`` if the message exceeds the limit. Every later call throws this
    ///   error again.
    package mutating func next() throws(MessageError) -> [UInt8]? {
        guard (terminator ?? bytes.count) - head <= limit else { throw .tooLarge(limit: limit) }
        guard let end = terminator else { return nil }
        let message = Array(bytes[head..<end])
        head = end + 1
        terminator = nil
        scan()
        return message
    }

    /// Discards the buffered bytes.
    /// - Returns: Number of complete messages that were discarded.
    package mutating func removeAll() -> Int {
        defer { reset() }
        return bytes[head...].count { $0 == 0 }
    }

    /// Searches the new bytes for the next NUL.
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
