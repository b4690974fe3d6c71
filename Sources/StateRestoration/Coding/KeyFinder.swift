/// Finds the values of keys in what was saved of one object.
///
/// It looks first behind the value that was read last, because objects mostly decode in the order
/// in which they encoded. Once that took too long it notes where every key stands, so that the time
/// grows with the number of keys and not with its square.
struct KeyFinder {
    private let bounds: Range<Int>
    /// Where the next key is looked for first.
    private var cursor: Int
    /// How many values stand before that one.
    private var place = 0
    private var passedOver = 0
    private var index: Index?
    /// The places of the values that were found.
    private(set) var found: PlaceSet

    /// How many values are passed over before all keys are noted.
    private static let patience = 256

    private struct Index {
        var values: [UInt64: (position: Int, place: Int)] = [:]
        /// What keeps the values behind those from being read.
        var failure: ValueError?
    }

    /// - Parameters:
    ///   - bounds: where the first key stands, and where the last value ends.
    ///   - found: the places of values that were found before.
    init(_ bounds: Range<Int>, found: PlaceSet = PlaceSet()) {
        self.bounds = bounds
        self.found = found
        cursor = bounds.lowerBound
    }

    /// The value found last was read: its end is here.
    mutating func advance(to position: Int) {
        cursor = position
        place += 1
    }

    /// Puts a reader before the value of a key.
    ///
    /// - Returns: false if the key is not there.
    mutating func seek(_ name: UInt64, with reader: inout ValueReader) throws(ValueError) -> Bool {
        if passedOver > Self.patience { return try seekByIndex(name, with: &reader) }
        reader.seek(to: cursor)
        var place = place
        var hasWrapped = false
        while true {
            if reader.isAtEnd {
                if hasWrapped || cursor == bounds.lowerBound { return false }
                hasWrapped = true
                reader.seek(to: bounds.lowerBound)
                place = 0
            }
            let here = reader.position
            if hasWrapped && here >= cursor { return false }
            if try reader.readVarint() == name {
                note(here, place)
                return true
            }
            try reader.skipValue()
            passedOver += 1
            place += 1
        }
    }

    private mutating func note(_ position: Int, _ place: Int) {
        cursor = position
        self.place = place
        found.insert(place)
    }

    /// Whether it is known that every value was found: the last one was read last.
    var hasFoundAll: Bool { cursor == bounds.upperBound && found.count == place }

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
        guard let value = index.values[name] else {
            if let failure = index.failure { throw failure }
            return false
        }
        note(value.position, value.place)
        try seekAgain(with: &reader)
        return true
    }

    private func makeIndex(with reader: inout ValueReader) -> Index {
        var index = Index()
        var place = 0
        reader.seek(to: bounds.lowerBound)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let position = reader.position
                let name = try reader.readVarint()
                if index.values[name] == nil { index.values[name] = (position, place) }
                try reader.skipValue()
                place += 1
            }
        } catch {
            index.failure = error
        }
        return index
    }
}

/// Places of values, counted from 0: an object has few, which cost no memory of their own.
struct PlaceSet: Equatable {
    private var low: UInt64 = 0
    private var high: Set<Int> = []

    var count: Int { low.nonzeroBitCount + high.count }

    mutating func insert(_ place: Int) {
        if place < 64 { low |= 1 << UInt64(place) } else { high.insert(place) }
    }

    func contains(_ place: Int) -> Bool {
        place < 64 ? low & 1 << UInt64(place) != 0 : high.contains(place)
    }
}

/// Which values of one object were found by their keys (R18).
struct FoundValues: Equatable {
    /// The places among those that are kept together.
    var together = PlaceSet()
    /// The places among the large ones.
    var outOfLine = PlaceSet()
}

/// Finds an object's large values, which are kept out of line, by their keys.
struct OutOfLineFinder {
    private let values: [ArraySlice<UInt8>]
    /// Where the next key is looked for first: objects mostly decode in the order of encoding.
    private var next = 0
    /// Before the value that was found last, until it is closed.
    private(set) var open: ValueReader?
    /// The places of the values that were found.
    private(set) var found: PlaceSet

    /// - Parameters:
    ///   - values: each behind its key.
    ///   - found: the places of those that were found before.
    init(_ values: [ArraySlice<UInt8>], found: PlaceSet = PlaceSet()) {
        self.values = values
        self.found = found
    }

    /// Whether every value was found.
    var hasFoundAll: Bool { found.count == values.count }

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
            found.insert(index)
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
