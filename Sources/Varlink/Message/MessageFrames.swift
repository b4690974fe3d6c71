import Glibc

/// Buffer that splits a stream of bytes into messages, each terminated by a NUL. The bytes may arrive in chunks of any
/// size.
///
/// Memory use is limited to the maximum message size plus the bytes from a single read. A message that exceeds the
/// maximum causes an error as soon as too many of its bytes have arrived, even before its NUL arrives.
package struct MessageFrames: Sendable {
    /// Maximum size of a message in bytes, without its NUL.
    package let limit: Int

    private var bytes: [UInt8] = []
    /// Offset of the first byte that ``next()`` has not returned yet.
    private(set) var headOffset = 0
    /// Offset of the first byte that has not been searched for a NUL.
    private var scannedOffset = 0
    /// Offset of the NUL that terminates the next message, or `nil` if it has not arrived.
    private var terminatorOffset: Int?

    /// Creates an empty buffer for messages of at most `limit` bytes.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Number of buffered bytes.
    package var byteCount: Int { bytes.count - headOffset }

    /// Whether the next call to ``next()`` will return a message or throw an error.
    package var hasMessage: Bool { terminatorOffset != nil || byteCount > limit }

    /// Appends received bytes.
    package mutating func append(_ chunk: UnsafeRawBufferPointer) {
        if headOffset == bytes.count {
            reset()
        } else if headOffset > bytes.count / 2 {
            bytes.removeFirst(headOffset)
            scannedOffset -= headOffset
            terminatorOffset = terminatorOffset.map { $0 - headOffset }
            headOffset = 0
        }
        bytes.append(contentsOf: chunk)
        scanForTerminator()
    }

    /// Returns the next complete message without its NUL, or `nil` if no message is complete.
    /// - Throws: ``MessageError/tooLarge(limit:)`` if the message exceeds the limit. Every later call also throws this
    ///   error.
    package mutating func next() throws(MessageError) -> [UInt8]? {
        guard (terminatorOffset ?? bytes.count) - headOffset <= limit else {
            throw .tooLarge(limit: limit)
        }
        guard let end = terminatorOffset else { return nil }
        let message = Array(bytes[headOffset..<end])
        headOffset = end + 1
        terminatorOffset = nil
        scanForTerminator()
        return message
    }

    /// Discards the buffered bytes.
    /// - Returns: The number of complete messages among the discarded bytes.
    package mutating func removeAll() -> Int {
        defer { reset() }
        return bytes[headOffset...].count { $0 == 0 }
    }

    /// Searches the new bytes for the next NUL.
    private mutating func scanForTerminator() {
        guard terminatorOffset == nil, scannedOffset < bytes.count else { return }
        let start = max(scannedOffset, headOffset)
        terminatorOffset = bytes.withUnsafeBytes { buffer in
            guard start < buffer.count, let base = buffer.baseAddress,
                let terminatorAddress = memchr(base + start, 0, buffer.count - start)
            else { return nil }
            return UnsafeRawPointer(terminatorAddress) - base
        }
        scannedOffset = terminatorOffset.map { $0 + 1 } ?? bytes.count
    }

    private mutating func reset() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
        headOffset = 0
        scannedOffset = 0
        terminatorOffset = nil
    }
}
