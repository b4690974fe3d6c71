/// A file's content: what can be read now, what is certainly on the disk, and what lies between.
struct FileImage: Sendable {
    /// Something that was done to the content and is not certainly on the disk.
    enum Change: Sendable {
        case write(at: Int, [UInt8])
        /// A write of which a sync has reported that it failed: no later sync makes it durable.
        case lostWrite(at: Int, [UInt8])
        case truncate(to: Int)
    }

    /// The content in the page cache.
    private(set) var content: [UInt8] = []
    /// The content that a power cut leaves if it takes all that it can.
    private(set) var durable: [UInt8] = []
    /// What happened since then, in order.
    private(set) var changes: [Change] = []
    /// Whether something can be read that no sync makes durable any more.
    private(set) var hasLost = false

    init() {}

    /// A file that is on the disk as it is.
    init(durable bytes: [UInt8]) {
        content = bytes
        durable = bytes
    }

    /// Writes bytes at an offset, or appends them if it is `nil`.
    mutating func write(_ bytes: some Collection<UInt8>, at offset: Int? = nil) {
        if bytes.isEmpty { return }
        let offset = offset ?? content.count
        changes.append(.write(at: offset, Array(bytes)))
        content.put(Array(bytes)[...], at: offset)
    }

    mutating func truncate(to length: Int) {
        if length == content.count { return }
        changes.append(.truncate(to: length))
        content.cut(to: length)
    }

    mutating func synchronize() {
        for change in changes {
            switch change {
            case .write(let offset, let bytes):
                durable.put(bytes[...], at: offset)
            case .lostWrite(let offset, let bytes):
                // The pages count as clean and are never written; the length is.
                durable.put(ArraySlice(repeating: 0, count: bytes.count), at: offset)
            case .truncate(let length):
                durable.cut(to: length)
            }
        }
        changes = []
    }

    /// What Linux does when a sync fails: it tells of it once, and the pages count as clean.
    mutating func failToSynchronize() {
        for index in changes.indices {
            guard case .write(let offset, let bytes) = changes[index] else { continue }
            changes[index] = .lostWrite(at: offset, bytes)
            hasLost = true
        }
    }
}

extension [UInt8] {
    /// Cuts to a length, or makes up for what is missing with zeros.
    mutating func cut(to length: Int) {
        if length < count {
            removeLast(count - length)
        } else {
            append(contentsOf: repeatElement(0, count: length - count))
        }
    }

    /// Puts bytes at an offset, with zeros before it if the end is before it.
    mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if offset >= count {
            cut(to: offset)
            self += bytes
        } else {
            let end = Swift.min(count, offset + bytes.count)
            replaceSubrange(offset..<end, with: bytes)
        }
    }
}
