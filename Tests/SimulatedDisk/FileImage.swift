/// Contents of a file: the readable bytes, the durable bytes, and the changes between them.
struct FileImage: Sendable {
    /// Change to the contents that is not certainly durable yet.
    enum Change: Sendable {
        case write(at: Int, [UInt8])
        /// A write for which a sync has reported a failure. No later sync makes it durable.
        case lostWrite(at: Int, [UInt8])
        case truncate(to: Int)
    }

    /// Contents in the page cache.
    private(set) var content: [UInt8] = []
    /// Contents after a power cut that loses all data that it can lose.
    private(set) var durable: [UInt8] = []
    /// Changes since the contents were durable, in order.
    private(set) var changes: [Change] = []
    /// Whether the readable contents include data that no sync can make durable.
    private(set) var hasLostData = false

    init() {}

    /// Creates a file whose contents are durable.
    init(durable bytes: [UInt8]) {
        content = bytes
        durable = bytes
    }

    /// Writes bytes at an offset, or appends them if the offset is `nil`.
    mutating func write(_ bytes: some Collection<UInt8>, at offset: Int? = nil) {
        if bytes.isEmpty { return }
        let offset = offset ?? content.count
        changes.append(.write(at: offset, Array(bytes)))
        content.put(Array(bytes)[...], at: offset)
    }

    mutating func truncate(to length: Int) {
        if length == content.count { return }
        changes.append(.truncate(to: length))
        content.resize(to: length)
    }

    mutating func synchronize() {
        for change in changes {
            switch change {
            case .write(let offset, let bytes):
                durable.put(bytes[...], at: offset)
            case .lostWrite(let offset, let bytes):
                // The pages count as clean and are never written, but the length is.
                durable.put(ArraySlice(repeating: 0, count: bytes.count), at: offset)
            case .truncate(let length):
                durable.resize(to: length)
            }
        }
        changes = []
    }

    /// Simulates a failed sync on Linux, which reports the failure once and then treats the pages as clean.
    mutating func failToSynchronize() {
        for index in changes.indices {
            guard case .write(let offset, let bytes) = changes[index] else { continue }
            changes[index] = .lostWrite(at: offset, bytes)
            hasLostData = true
        }
    }
}

extension [UInt8] {
    /// Truncates or extends the array to a length. An extension consists of zeros.
    mutating func resize(to length: Int) {
        if length < count {
            removeLast(count - length)
        } else {
            append(contentsOf: repeatElement(0, count: length - count))
        }
    }

    /// Writes bytes at an offset. If the array is shorter than the offset, zeros fill the gap.
    mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if offset >= count {
            resize(to: offset)
            self += bytes
        } else {
            let end = Swift.min(count, offset + bytes.count)
            replaceSubrange(offset..<end, with: bytes)
        }
    }
}
