/// A cursor that finds values by key in the saved state of one object.
///
/// A search starts after the last value read, because most objects decode their values in the order in which they
/// encoded them. After the finder has skipped many values, it builds an index of all keys. The total time therefore
/// grows linearly with the number of keys, not quadratically.
struct KeyFinder {
    private let bounds: Range<Int>
    /// Position at which the search for the next key starts.
    private var cursor: Int
    /// Number of values before ``cursor``.
    private var valueIndex = 0
    private var skippedValueCount = 0
    private var keyIndex: KeyIndex?
    /// Indexes of the values that have been found.
    private(set) var foundValues: ValueIndexSet

    /// Number of skipped values after which all keys are indexed.
    private static let maximumSkippedValues = 256

    private struct KeyIndex {
        var valueLocations: [UInt64: (position: Int, valueIndex: Int)] = [:]
        /// Error at which indexing stopped, or `nil` if all values are readable.
        var failure: ValueError?
    }

    /// Creates a finder that starts at the first key.
    ///
    /// - Parameters:
    ///   - bounds: The range from the start of the first key to the end of the last value.
    ///   - foundValues: The indexes of values that were found earlier.
    init(_ bounds: Range<Int>, foundValues: ValueIndexSet = ValueIndexSet()) {
        self.bounds = bounds
        self.foundValues = foundValues
        cursor = bounds.lowerBound
    }

    /// Starts the next search at the end of the value that was found last.
    mutating func advance(to position: Int) {
        cursor = position
        valueIndex += 1
    }

    /// Moves a reader to the value stored under a key.
    ///
    /// - Returns: `false` if the key does not exist.
    mutating func seek(_ nameNumber: UInt64, with reader: inout ValueReader) throws(ValueError)
        -> Bool
    {
        if skippedValueCount > Self.maximumSkippedValues {
            return try seekByIndex(nameNumber, with: &reader)
        }
        reader.seek(to: cursor)
        var valueIndex = valueIndex
        var hasWrapped = false
        while true {
            if reader.isAtEnd {
                if hasWrapped || cursor == bounds.lowerBound { return false }
                hasWrapped = true
                reader.seek(to: bounds.lowerBound)
                valueIndex = 0
            }
            let keyPosition = reader.position
            if hasWrapped && keyPosition >= cursor { return false }
            if try reader.readVarint() == nameNumber {
                recordFound(keyPosition, valueIndex)
                return true
            }
            try reader.skipValue()
            skippedValueCount += 1
            valueIndex += 1
        }
    }

    private mutating func recordFound(_ position: Int, _ valueIndex: Int) {
        cursor = position
        self.valueIndex = valueIndex
        foundValues.insert(valueIndex)
    }

    /// Whether all values are known to have been found.
    ///
    /// This is `false` unless the most recently read value is the last value in the state.
    var hasFoundAllValues: Bool { cursor == bounds.upperBound && foundValues.count == valueIndex }

    /// Moves a reader to the value stored under the key that was found last.
    func seekAgain(with reader: inout ValueReader) throws(ValueError) {
        reader.seek(to: cursor)
        _ = try reader.readVarint()
    }

    private mutating func seekByIndex(
        _ nameNumber: UInt64, with reader: inout ValueReader
    ) throws(ValueError) -> Bool {
        let keyIndex = keyIndex ?? makeIndex(with: &reader)
        self.keyIndex = keyIndex
        guard let value = keyIndex.valueLocations[nameNumber] else {
            if let failure = keyIndex.failure { throw failure }
            return false
        }
        recordFound(value.position, value.valueIndex)
        try seekAgain(with: &reader)
        return true
    }

    private func makeIndex(with reader: inout ValueReader) -> KeyIndex {
        var keyIndex = KeyIndex()
        var valueIndex = 0
        reader.seek(to: bounds.lowerBound)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let position = reader.position
                let nameNumber = try reader.readVarint()
                if keyIndex.valueLocations[nameNumber] == nil {
                    keyIndex.valueLocations[nameNumber] = (position, valueIndex)
                }
                try reader.skipValue()
                valueIndex += 1
            }
        } catch {
            keyIndex.failure = error
        }
        return keyIndex
    }
}

/// Set of zero-based value indexes. The first 64 indexes need no heap allocation.
struct ValueIndexSet: Equatable {
    private var lowBits: UInt64 = 0
    private var highIndices: Set<Int> = []

    var count: Int { lowBits.nonzeroBitCount + highIndices.count }

    mutating func insert(_ index: Int) {
        if index < 64 { lowBits |= 1 << UInt64(index) } else { highIndices.insert(index) }
    }

    func contains(_ index: Int) -> Bool {
        index < 64 ? lowBits & 1 << UInt64(index) != 0 : highIndices.contains(index)
    }
}

/// Values in an object's state that have been found by key (R18).
struct FoundValues: Equatable {
    /// Indexes of the values that are stored in the object's own record.
    var inlineIndexes = ValueIndexSet()
    /// Indexes of the large values, which are stored in separate records.
    var outOfLineIndexes = ValueIndexSet()
}

/// A cursor that finds an object's large values by key. These values are stored out of line, in separate records.
struct OutOfLineFinder {
    private let values: [ArraySlice<UInt8>]
    /// Index at which the next search starts.
    ///
    /// Most objects decode their values in the order in which they encoded them, so the search starts after the value
    /// that was found last.
    private var nextIndex = 0
    /// Reader positioned at the value that was found last, or `nil` if no value is open.
    private(set) var openReader: ValueReader?
    /// Indexes of the values that have been found.
    private(set) var foundValues: ValueIndexSet

    /// Creates a finder that starts at the first value.
    ///
    /// - Parameters:
    ///   - values: The values, each preceded by its key.
    ///   - foundValues: The indexes of values that were found earlier.
    init(_ values: [ArraySlice<UInt8>], foundValues: ValueIndexSet = ValueIndexSet()) {
        self.values = values
        self.foundValues = foundValues
    }

    /// Whether every value has been found.
    var hasFoundAllValues: Bool { foundValues.count == values.count }

    /// Opens the value stored under a key.
    ///
    /// Values with unreadable keys are skipped.
    ///
    /// - Returns: The value's tag, or `nil` if the key does not exist.
    mutating func find(_ nameNumber: UInt64) throws(ValueError) -> ValueTag? {
        for index in [nextIndex..<values.count, 0..<nextIndex].joined() {
            guard let value = Self.value(of: nameNumber, in: values[index]) else { continue }
            var reader = value
            let tag = try reader.readTag()
            openReader = value
            nextIndex = index + 1
            foundValues.insert(index)
            return tag
        }
        return nil
    }

    private static func value(of nameNumber: UInt64, in bytes: ArraySlice<UInt8>) -> ValueReader? {
        var reader = ValueReader(bytes)
        do throws(ValueError) {
            return try reader.readVarint() == nameNumber ? reader : nil
        } catch {
            return nil
        }
    }

    /// Closes the value that was found last.
    ///
    /// - Returns: `false` if no value was open.
    @discardableResult
    mutating func close() -> Bool {
        defer { openReader = nil }
        return openReader != nil
    }
}
