import StateRecords

/// The keys and values saved of one object, or of a scene itself.
package struct SavedValues: Sendable {
    /// The values that are kept together, each behind its key.
    package var together: ArraySlice<UInt8>
    /// Large values, each behind its key, in any order.
    package var outOfLine: [ArraySlice<UInt8>]

    package init(_ together: ArraySlice<UInt8>, outOfLine: [ArraySlice<UInt8>] = []) {
        self.together = together
        self.outOfLine = outOfLine
    }

    /// Everything: whole values, each behind its key.
    var spans: [ArraySlice<UInt8>] { [together] + outOfLine }

    /// The same with every large value kept out of line, as a pass hands it out.
    ///
    /// Total: what stands behind bytes that are no values stays together with them.
    var takenOutOfLine: SavedValues {
        guard together.count > OutOfLineValue.largestInRecord else { return self }
        var large: [LargeValue] = []
        var reader = ValueReader(together)
        do throws(ValueError) {
            while !reader.isAtEnd {
                let start = reader.position
                let key = try reader.readVarint()
                try reader.skipValue()
                guard reader.position - start > OutOfLineValue.largestInRecord else { continue }
                guard let key = UInt32(exactly: key) else { throw .numberTooLarge }
                large.append(LargeValue(key: key, range: start..<reader.position))
            }
        } catch {
            if large.isEmpty { return self }
        }
        let split = SavedValues(together, large: large)
        return SavedValues(split.together, outOfLine: split.outOfLine + outOfLine)
    }
}

extension SavedValues {
    /// Hands over each value with the number of its key, until the body returns false. What stands
    /// behind bytes that are no values, in the same span, is passed over.
    ///
    /// - Returns: whether all bytes that were looked at are values.
    @discardableResult
    private func forEachValue(_ body: (_ key: UInt32, _ value: ArraySlice<UInt8>) -> Bool) -> Bool {
        var areValues = true
        for span in spans {
            var reader = ValueReader(span)
            do throws(ValueError) {
                while !reader.isAtEnd {
                    guard let key = UInt32(exactly: try reader.readVarint()) else {
                        throw .numberTooLarge
                    }
                    let start = reader.position
                    try reader.skipValue()
                    if !body(key, span[start..<reader.position]) { return areValues }
                }
            } catch {
                areValues = false
            }
        }
        return areValues
    }

    /// The numbers of the keys; nil if the bytes are no values.
    package var keys: [UInt32]? {
        var keys: [UInt32] = []
        let areValues = forEachValue { key, _ in
            keys.append(key)
            return true
        }
        return areValues ? keys : nil
    }

    /// The numbers of the keys of all values but some, up to bytes that are no values.
    func keys(besides found: FoundValues) -> [UInt32] {
        var keys: [UInt32] = []
        var place = 0
        SavedValues(together).forEachValue { key, _ in
            if !found.together.contains(place) { keys.append(key) }
            place += 1
            return true
        }
        for (place, value) in outOfLine.enumerated() where !found.outOfLine.contains(place) {
            SavedValues(value).forEachValue { key, _ in
                keys.append(key)
                return false
            }
        }
        return keys
    }

    /// The numbers in all references, at any depth, up to bytes that are no values.
    func references() -> [RecordNumber] {
        var numbers: [RecordNumber] = []
        for span in spans {
            var reader = ValueReader(span)
            do {
                while !reader.isAtEnd {
                    _ = try reader.readVarint()
                    try reader.collectReferences(into: &numbers)
                }
            } catch {
                continue
            }
        }
        return numbers
    }

    /// The keys whose values are others there, or are not there, in the order of their numbers.
    func keysOfDifferences(from other: SavedValues) -> [UInt32] {
        let (values, others) = (byKey, other.byKey)
        return Set(values.keys).union(others.keys).filter { values[$0] != others[$0] }.sorted()
    }

    /// The values that are others there, or are not there; nil: this has none under the key, and the
    /// other has.
    package func differences(
        from other: SavedValues?
    ) -> [(key: UInt32, value: ArraySlice<UInt8>?)] {
        let values = byKey
        guard let other else { return values.map { ($0.key, $0.value) } }
        return keysOfDifferences(from: other).map { ($0, values[$0]) }
    }

    /// The values with a reference to one of these records, at any depth.
    package func values(
        referringTo numbers: Set<UInt32>
    ) -> [(key: UInt32, value: ArraySlice<UInt8>?)] {
        byKey.filter { _, value in
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

    /// The bytes of each value by the number of its key, up to bytes that are no values.
    private var byKey: [UInt32: ArraySlice<UInt8>] {
        var values: [UInt32: ArraySlice<UInt8>] = [:]
        forEachValue { key, value in
            // A coder finds the first value of a key.
            if values[key] == nil { values[key] = value }
            return true
        }
        return values
    }

    /// The numbers in an array of references that is stored under a key; nil if no such array is.
    /// Total: bytes that are no values give nil, and are reported when the object decodes them.
    func references(forKey key: StaticString, names: NameTable) -> [RecordNumber]? {
        guard let name = names.existingNumber(for: key), let value = value(of: name) else {
            return nil
        }
        var reader = ValueReader(value)
        do { return try reader.readReferences() } catch { return nil }
    }

    /// The bytes of the value that is stored under a key, by the number of its name.
    func value(of key: UInt32) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        forEachValue { name, value in
            if name == key { found = value }
            return found == nil
        }
        return found
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

    /// A reference with its tag; nil if the value is another.
    mutating func readTaggedReference() throws(ValueError) -> RecordNumber? {
        try readTag() == .reference ? try readReference() : nil
    }

    /// An array of references alone; nil if the value is another.
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
    /// All values of one object, of which the large ones, told in their order, are taken out.
    init(_ bytes: ArraySlice<UInt8>, large: [LargeValue]) {
        guard !large.isEmpty else {
            self.init(bytes)
            return
        }
        var small: [UInt8] = []
        var start = bytes.startIndex
        for value in large {
            small += bytes[start..<value.range.lowerBound]
            start = value.range.upperBound
        }
        small += bytes[start...]
        self.init(small[...], outOfLine: large.map { bytes[$0.range] })
    }
}
