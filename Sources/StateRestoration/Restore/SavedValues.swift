import StateRecords

/// The saved keys and values of one object or of a scene itself.
package struct SavedValues: Sendable {
    /// Values that are stored in the record itself, each preceded by its key.
    package var inlineValues: ArraySlice<UInt8>
    /// Large values, each preceded by its key, in any order.
    package var outOfLine: [ArraySlice<UInt8>]

    package init(_ inlineValues: ArraySlice<UInt8>, outOfLine: [ArraySlice<UInt8>] = []) {
        self.inlineValues = inlineValues
        self.outOfLine = outOfLine
    }

    /// Inline values, followed by each out-of-line value. Every value is preceded by its key.
    var spans: [ArraySlice<UInt8>] { [inlineValues] + outOfLine }

    /// The same values, with every large value stored out of line, as in the output of a pass.
    ///
    /// An invalid value and the bytes after it remain in ``inlineValues``.
    var withLargeValuesOutOfLine: SavedValues {
        guard inlineValues.count > OutOfLineValue.maximumInlineBytes else { return self }
        var largeValues: [LargeValue] = []
        var reader = ValueReader(inlineValues)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let start = reader.position
                let key = try reader.readVarint()
                try reader.skipValue()
                guard reader.position - start > OutOfLineValue.maximumInlineBytes else { continue }
                guard let key = UInt32(exactly: key) else { throw .numberTooLarge }
                largeValues.append(LargeValue(keyNumber: key, byteRange: start..<reader.position))
            }
        } catch {
            if largeValues.isEmpty { return self }
        }
        let savedValues = SavedValues(inlineValues, largeValues: largeValues)
        return SavedValues(savedValues.inlineValues, outOfLine: savedValues.outOfLine + outOfLine)
    }
}

extension SavedValues {
    /// Calls a closure with each value and the number of its key, until the closure returns `false`.
    ///
    /// If a span contains an invalid value, the rest of the span is skipped.
    ///
    /// - Returns: Whether all bytes that were read are valid values.
    @discardableResult
    func forEachValue(_ body: (_ key: UInt32, _ value: ArraySlice<UInt8>) -> Bool) -> Bool {
        var areAllReadable = true
        for span in spans {
            var reader = ValueReader(span)
            do throws(ValueError) {
                while !reader.isAtEnd {
                    guard let key = UInt32(exactly: try reader.readVarint()) else {
                        throw .numberTooLarge
                    }
                    let start = reader.position
                    try reader.skipValue()
                    if !body(key, span[start..<reader.position]) { return areAllReadable }
                }
            } catch {
                areAllReadable = false
            }
        }
        return areAllReadable
    }

    /// Numbers of the keys, or `nil` if some of the bytes are not valid values.
    package var keyNumbers: [UInt32]? {
        var keyNumbers: [UInt32] = []
        let areAllReadable = forEachValue { key, _ in
            keyNumbers.append(key)
            return true
        }
        return areAllReadable ? keyNumbers : nil
    }

    /// Returns the numbers of the keys whose values have not been found, up to the first invalid value.
    func keyNumbers(excluding foundValues: FoundValues) -> [UInt32] {
        var unreadKeyNumbers: [UInt32] = []
        var index = 0
        SavedValues(inlineValues).forEachValue { key, _ in
            if !foundValues.inlineIndexes.contains(index) { unreadKeyNumbers.append(key) }
            index += 1
            return true
        }
        for (index, value) in outOfLine.enumerated()
        where !foundValues.outOfLineIndexes.contains(index) {
            SavedValues(value).forEachValue { key, _ in
                unreadKeyNumbers.append(key)
                return false
            }
        }
        return unreadKeyNumbers
    }

    /// Returns the record numbers in all references, at any depth, up to the first invalid value.
    func references() -> [RecordNumber] {
        var recordNumbers: [RecordNumber] = []
        for span in spans {
            var reader = ValueReader(span)
            do {
                while !reader.isAtEnd {
                    _ = try reader.readVarint()
                    try reader.collectReferences(into: &recordNumbers)
                }
            } catch {
                continue
            }
        }
        return recordNumbers
    }

    /// Returns the numbers of the keys whose values differ or exist on only one side, sorted in ascending order.
    func keyNumbersOfDifferences(from other: SavedValues) -> [UInt32] {
        let (values, otherValues) = (valuesByKeyNumber, other.valuesByKeyNumber)
        return Set(values.keys).union(otherValues.keys).filter { values[$0] != otherValues[$0] }
            .sorted()
    }

    /// Returns the values that differ from the given values, each with the number of its key.
    ///
    /// A value is `nil` if only `other` contains the key. If `other` is `nil`, all values are returned.
    package func differences(
        from other: SavedValues?
    ) -> [(key: UInt32, value: ArraySlice<UInt8>?)] {
        let values = valuesByKeyNumber
        guard let other else { return values.map { ($0.key, $0.value) } }
        return keyNumbersOfDifferences(from: other).map { ($0, values[$0]) }
    }

    /// Returns the values that contain a reference to one of the given records, at any depth.
    package func values(
        referringTo numbers: Set<UInt32>
    ) -> [(key: UInt32, value: ArraySlice<UInt8>?)] {
        valuesByKeyNumber.filter { _, value in
            var reader = ValueReader(value)
            var references: [RecordNumber] = []
            do throws(ValueError) {
                try reader.collectReferences(into: &references)
            } catch {
                return false
            }
            return references.contains { numbers.contains($0.rawValue) }
        }.map { ($0.key, $0.value) }
    }

    /// Bytes of each value, keyed by the number of its key, up to the first invalid value.
    private var valuesByKeyNumber: [UInt32: ArraySlice<UInt8>] {
        var values: [UInt32: ArraySlice<UInt8>] = [:]
        forEachValue { key, value in
            // If a key is repeated, a decoder uses its first value.
            if values[key] == nil { values[key] = value }
            return true
        }
        return values
    }

    /// Returns the record numbers in the array of references stored under a key, or `nil` if there is no such array.
    ///
    /// The result is also `nil` if the bytes are invalid. The error is reported when the object decodes the value.
    func references(forKey key: StaticString, names: NameTable) -> [RecordNumber]? {
        guard let keyNumber = names.existingNumber(for: key), let value = value(of: keyNumber)
        else {
            return nil
        }
        var reader = ValueReader(value)
        do { return try reader.readReferences() } catch { return nil }
    }

    /// Returns the bytes of the value stored under the key with the given number, or `nil` if there is none.
    func value(of keyNumber: UInt32) -> ArraySlice<UInt8>? {
        var foundValue: ArraySlice<UInt8>?
        forEachValue { number, value in
            if number == keyNumber { foundValue = value }
            return foundValue == nil
        }
        return foundValue
    }
}

extension ValueReader {
    fileprivate mutating func collectReferences(
        into numbers: inout [RecordNumber], depth: Int = 0
    ) throws(ValueError) {
        guard depth <= Self.maximumDepth else { throw .nestedTooDeep }
        let start = position
        let tag = try readTag()
        switch tag {
        case .reference: numbers.append(try readReference())
        case .array, .dictionary:
            for _ in 0..<(try readCount()) {
                if tag == .dictionary { _ = try readText() }
                try collectReferences(into: &numbers, depth: depth + 1)
            }
        default:
            seek(to: start)
            try skipValue()
        }
    }

    /// Reads a reference with its tag, or returns `nil` if the value has a different type.
    mutating func readTaggedReference() throws(ValueError) -> RecordNumber? {
        try readTag() == .reference ? try readReference() : nil
    }

    /// Reads an array that contains only references, or returns `nil` if the value has a different type.
    mutating func readReferences() throws(ValueError) -> [RecordNumber]? {
        guard try readTag() == .array else { return nil }
        var numbers: [RecordNumber] = []
        for _ in 0..<(try readCount()) {
            guard let number = try readTaggedReference() else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

extension SavedValues {
    /// Creates the values of one object, and moves the given large values out of line.
    ///
    /// - Parameter largeValues: The large values in the order of their ranges.
    init(_ bytes: ArraySlice<UInt8>, largeValues: [LargeValue]) {
        guard !largeValues.isEmpty else {
            self.init(bytes)
            return
        }
        var inlineBytes: [UInt8] = []
        var start = bytes.startIndex
        for value in largeValues {
            inlineBytes += bytes[start..<value.byteRange.lowerBound]
            start = value.byteRange.upperBound
        }
        inlineBytes += bytes[start...]
        self.init(inlineBytes[...], outOfLine: largeValues.map { bytes[$0.byteRange] })
    }
}
