/// A cursor that finds values by key in the saved state of one object.
///
/// A search starts after the last value read, because most objects decode their values in the order in which they
/// encoded them. After the finder has skipped many values, it builds an index of all keys. The total time therefore
/// grows linearly with the number of keys, not quadratically.
struct KeyFinder {
    /// Range from the start of the first key to the end of the last value.
    private let bounds: Range<Int>
    /// Position at which the search for the next key starts.
    private var cursor: Int
    /// Number of values before ``cursor``.
    private var valueIndex = 0
    /// Keys of the values before ``cursor``.
    private var precedingKeys = KeyFilter()
    /// Number of values that searches have skipped.
    private var skippedValueCount = 0
    private var keyIndex: KeyIndex?
    /// Number of the key that was found last.
    private var lastKeyNumber: UInt64 = 0
    /// Indexes of the values that have been found.
    private(set) var foundIndexes: ValueIndexSet

    /// Number of skipped values after which all keys are indexed.
    private static let maximumSkippedValues = 256

    /// Set of key numbers that may contain more numbers than were inserted.
    private struct KeyFilter {
        private var bits: UInt64 = 0

        mutating func insert(_ keyNumber: UInt64) { bits |= Self.bit(of: keyNumber) }

        /// Returns `false` only if the number was not inserted.
        func mayContain(_ keyNumber: UInt64) -> Bool { bits & Self.bit(of: keyNumber) != 0 }

        private static func bit(of keyNumber: UInt64) -> UInt64 { 1 << (keyNumber % 64) }
    }

    private struct KeyIndex {
        var valueLocations: [UInt64: (position: Int, valueIndex: Int)] = [:]
        /// Error at which indexing stopped, or `nil` if all values are readable.
        var failure: ValueError?
    }

    /// Creates a finder that starts at the first key.
    ///
    /// - Parameters:
    ///   - bounds: The range from the start of the first key to the end of the last value.
    ///   - foundIndexes: The indexes of values that were found earlier.
    init(_ bounds: Range<Int>, foundIndexes: ValueIndexSet = ValueIndexSet()) {
        self.bounds = bounds
        self.foundIndexes = foundIndexes
        cursor = bounds.lowerBound
    }

    /// Starts the next search at the end of the value that was found last.
    mutating func advance(to position: Int) {
        cursor = position
        valueIndex += 1
        precedingKeys.insert(lastKeyNumber)
    }

    /// Moves a reader to the first value stored under a key.
    ///
    /// - Returns: `false` if the key does not exist.
    mutating func seek(_ keyNumber: UInt64, with reader: inout ValueReader) throws(ValueError)
        -> Bool
    {
        if skippedValueCount > Self.maximumSkippedValues {
            return try seekByIndex(keyNumber, with: &reader)
        }
        let (cursor, valueIndex) = (cursor, valueIndex)
        // If a key is repeated, its first value is found, regardless of the position of the cursor.
        if precedingKeys.mayContain(keyNumber),
            try seek(keyNumber, in: bounds.lowerBound..<cursor, 0, KeyFilter(), with: &reader)
        {
            return true
        }
        return try seek(
            keyNumber, in: cursor..<bounds.upperBound, valueIndex, precedingKeys, with: &reader)
    }

    /// Moves a reader to the value stored under a key, if the key is in a range of keys and values.
    ///
    /// - Parameters:
    ///   - firstValueIndex: The index of the first value in the range.
    ///   - precedingKeys: The keys of the values before the range.
    /// - Returns: `false` if the range does not contain the key.
    private mutating func seek(
        _ keyNumber: UInt64, in range: Range<Int>, _ firstValueIndex: Int,
        _ precedingKeys: KeyFilter, with reader: inout ValueReader
    ) throws(ValueError) -> Bool {
        reader.seek(to: range.lowerBound)
        var valueIndex = firstValueIndex
        var precedingKeys = precedingKeys
        while reader.position < range.upperBound {
            let keyPosition = reader.position
            let nextKeyNumber = try reader.readVarint()
            if nextKeyNumber == keyNumber {
                recordFound(keyNumber, keyPosition, valueIndex)
                self.precedingKeys = precedingKeys
                return true
            }
            try reader.skipValue()
            precedingKeys.insert(nextKeyNumber)
            skippedValueCount += 1
            valueIndex += 1
        }
        return false
    }

    private mutating func recordFound(_ keyNumber: UInt64, _ position: Int, _ valueIndex: Int) {
        lastKeyNumber = keyNumber
        cursor = position
        self.valueIndex = valueIndex
        foundIndexes.insert(valueIndex)
    }

    /// Whether all values are known to have been found.
    ///
    /// The value is `true` only if the most recently read value is the last value in the state.
    var hasFoundAllValues: Bool { cursor == bounds.upperBound && foundIndexes.count == valueIndex }

    /// Moves a reader to the value stored under the key that was found last.
    func seekToLastFound(with reader: inout ValueReader) throws(ValueError) {
        reader.seek(to: cursor)
        _ = try reader.readVarint()
    }

    private mutating func seekByIndex(
        _ keyNumber: UInt64, with reader: inout ValueReader
    ) throws(ValueError) -> Bool {
        let keyIndex = keyIndex ?? makeIndex(with: &reader)
        self.keyIndex = keyIndex
        guard let value = keyIndex.valueLocations[keyNumber] else {
            if let failure = keyIndex.failure { throw failure }
            return false
        }
        recordFound(keyNumber, value.position, value.valueIndex)
        try seekToLastFound(with: &reader)
        return true
    }

    private func makeIndex(with reader: inout ValueReader) -> KeyIndex {
        var keyIndex = KeyIndex()
        var valueIndex = 0
        reader.seek(to: bounds.lowerBound)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let position = reader.position
                let keyNumber = try reader.readVarint()
                if keyIndex.valueLocations[keyNumber] == nil {
                    keyIndex.valueLocations[keyNumber] = (position, valueIndex)
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

/// A set of zero-based value indexes. Indexes below 64 need no heap allocation.
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

/// A cursor that finds an object's large values by key. The large values are stored out of line.
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
    private(set) var foundIndexes: ValueIndexSet

    /// Creates a finder that starts at the first value.
    ///
    /// - Parameters:
    ///   - values: The values, each preceded by its key.
    ///   - foundIndexes: The indexes of values that were found earlier.
    init(_ values: [ArraySlice<UInt8>], foundIndexes: ValueIndexSet = ValueIndexSet()) {
        self.values = values
        self.foundIndexes = foundIndexes
    }

    /// Whether every value has been found.
    var hasFoundAllValues: Bool { foundIndexes.count == values.count }

    /// Opens the value stored under a key.
    ///
    /// Values with unreadable keys are skipped.
    ///
    /// - Returns: The value's tag, or `nil` if the key does not exist.
    mutating func find(_ keyNumber: UInt64) throws(ValueError) -> ValueTag? {
        for index in [nextIndex..<values.count, 0..<nextIndex].joined() {
            guard let value = Self.value(of: keyNumber, in: values[index]) else { continue }
            var reader = value
            let tag = try reader.readTag()
            openReader = value
            nextIndex = index + 1
            foundIndexes.insert(index)
            return tag
        }
        return nil
    }

    private static func value(of keyNumber: UInt64, in bytes: ArraySlice<UInt8>) -> ValueReader? {
        var reader = ValueReader(bytes)
        do throws(ValueError) {
            return try reader.readVarint() == keyNumber ? reader : nil
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
