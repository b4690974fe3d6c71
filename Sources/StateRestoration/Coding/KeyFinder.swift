/// Finds the values of keys in what was saved of one object.
///
/// It looks first behind the value that was read last, because objects mostly decode in the order
/// in which they encoded. Once that took too long it notes where every key stands, so that the time
/// grows with the number of keys and not with its square.
struct KeyFinder {
    private let start: Int
    /// Where the next key is looked for first.
    private var cursor: Int
    private var passedOver = 0
    private var index: Index?

    /// How many values are passed over before all keys are noted.
    private static let patience = 256

    private struct Index {
        var positions: [UInt64: Int] = [:]
        /// What keeps the values behind those from being read.
        var failure: ValueError?
    }

    /// - Parameter start: where the first key stands.
    init(start: Int) {
        self.start = start
        cursor = start
    }

    /// The value found last was read: its end is here.
    mutating func advance(to position: Int) {
        cursor = position
    }

    /// Puts a reader before the value of a key.
    ///
    /// - Returns: false if the key is not there.
    mutating func seek(_ name: UInt64, with reader: inout ValueReader) throws(ValueError) -> Bool {
        if passedOver > Self.patience { return try seekByIndex(name, with: &reader) }
        reader.seek(to: cursor)
        var hasWrapped = false
        while true {
            if reader.isAtEnd {
                if hasWrapped || cursor == start { return false }
                hasWrapped = true
                reader.seek(to: start)
            }
            let here = reader.position
            if hasWrapped && here >= cursor { return false }
            if try reader.readVarint() == name {
                cursor = here
                return true
            }
            try reader.skipValue()
            passedOver += 1
        }
    }

    /// Puts a reader before the value of the key found last.
    func seekAgain(with reader: inout ValueReader) throws(ValueError) {
        reader.seek(to: cursor)
        _ = try reader.readVarint()
    }

    private mutating func seekByIndex(
        _ name: UInt64, with reader: inout ValueReader
    ) throws(ValueError) -> Bool {
        let index = index ?? makeIndex(with: &reader)
        self.index = index
        guard let position = index.positions[name] else {
            if let failure = index.failure { throw failure }
            return false
        }
        cursor = position
        try seekAgain(with: &reader)
        return true
    }

    private func makeIndex(with reader: inout ValueReader) -> Index {
        var index = Index()
        reader.seek(to: start)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let position = reader.position
                let name = try reader.readVarint()
                if index.positions[name] == nil { index.positions[name] = position }
                try reader.skipValue()
            }
        } catch {
            index.failure = error
        }
        return index
    }
}

/// Finds an object's large values, which are kept out of line, by their keys.
struct OutOfLineFinder {
    private let values: [ArraySlice<UInt8>]
    /// Where the next key is looked for first: objects mostly decode in the order of encoding.
    private var next = 0
    /// Before the value that was found last, until it is closed.
    private(set) var open: ValueReader?

    /// - Parameter values: each behind its key.
    init(_ values: [ArraySlice<UInt8>]) {
        self.values = values
    }

    /// Opens the value of a key. What does not begin with a key is nobody's.
    ///
    /// - Returns: its tag; nil if there is none.
    mutating func find(_ name: UInt64) throws(ValueError) -> ValueTag? {
        for index in [next..<values.count, 0..<next].joined() {
            guard let value = Self.value(of: name, in: values[index]) else { continue }
            var reader = value
            let tag = try reader.readTag()
            open = value
            next = index + 1
            return tag
        }
        return nil
    }

    private static func value(of name: UInt64, in bytes: ArraySlice<UInt8>) -> ValueReader? {
        var reader = ValueReader(bytes)
        do throws(ValueError) {
            return try reader.readVarint() == name ? reader : nil
        } catch {
            return nil
        }
    }

    /// The value that was found last is not read any more.
    ///
    /// - Returns: false if none was.
    @discardableResult
    mutating func close() -> Bool {
        defer { open = nil }
        return open != nil
    }
}
