/// A cursor that finds values by key in the saved state of one object.
///
/// The search starts after the last value read, because most objects decode in the order in which they
/// encoded. After many skipped values, the finder builds an index of all keys. The total time therefore grows
/// linearly with the number of keys, not quadratically.
struct KeyFinder {
    private let bounds: Range<Int>
    /// Position at which the search for the next key starts.
    private var cursor: Int
    /// Number of values before ``cursor``.
    private var place = 0
    private var passedOver = 0
    private var index: Index?
    /// Indexes of the values that have been found.
    private(set) var found: PlaceSet

    /// Number of skipped values after which all keys are indexed.
    private static let maximumSkipped = 256

    private struct Index {
        var values: [UInt64: (position: Int, place: Int)] = [:]
        /// Error that prevents the remaining values from being read, or `nil` if all are readable.
        var failure: ValueError?
    }

    /// - Parameters:
    ///   - bounds: The range from the start of the first key to the end of the last value.
    ///   - found: The indexes of values that were found earlier.
    init(_ bounds: Range<Int>, found: PlaceSet = PlaceSet()) {
        self.bounds = bounds
        self.found = found
        cursor = bounds.lowerBound
    }

    /// Moves the start of the search to the end of the value that was found last.
    mutating func advance(to position: Int) {
        cursor = position
        place += 1
    }

    /// Moves a reader to the value of a key.
    ///
    /// - Returns: `false` if the key does not exist.
    mutating func seek(_ name: UInt64, with reader: inout ValueReader) throws(ValueError) -> Bool {
        if passedOver > Self.maximumSkipped { return try seekByIndex(name, with: &reader) }
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
                recordFound(here, place)
                return true
            }
            try reader.skipValue()
            passedOver += 1
            place += 1
        }
    }

    private mutating func recordFound(_ position: Int, _ place: Int) {
        cursor = position
        self.place = place
        found.insert(place)
    }

    /// Whether every value is known to have been found.
    ///
    /// This is always `false` if the last value read is not the last value in the state.
    var hasFoundAll: Bool { cursor == bounds.upperBound && found.count == place }

    /// Moves a reader to the value of the key that was found last.
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
        recordFound(value.position, value.place)
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

/// Set of zero-based value indexes. The first 64 indexes need no heap allocation.
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

/// Values of one object that have been found by key (R18).
struct FoundValues: Equatable {
    /// Indexes of the values that are stored together.
    var together = PlaceSet()
    /// Indexes of the large values.
    var outOfLine = PlaceSet()
}

/// A cursor that finds an object's large values, which are stored out of line.
struct OutOfLineFinder {
    private let values: [ArraySlice<UInt8>]
    /// Index at which the search starts, because most objects decode in the order of encoding.
    private var next = 0
    /// Reader positioned before the value that was found last, or `nil` if that value is closed.
    private(set) var open: ValueReader?
    /// Indexes of the values that have been found.
    private(set) var found: PlaceSet

    /// - Parameters:
    ///   - values: The values, each preceded by its key.
    ///   - found: The indexes of values that were found earlier.
    init(_ values: [ArraySlice<UInt8>], found: PlaceSet = PlaceSet()) {
        self.values = values
        self.found = found
    }

    /// Whether every value was found.
    var hasFoundAll: Bool { found.count == values.count }

    /// Opens the value of a key.
    ///
    /// Bytes that do not begin with a key are ignored.
    /// - Returns: The tag of the value, or `nil` if the key does not exist.
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

    /// Closes the value that was found last.
    ///
    /// - Returns: `false` if no value was open.
    @discardableResult
    mutating func close() -> Bool {
        defer { open = nil }
        return open != nil
    }
}
