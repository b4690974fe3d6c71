import StateRecords

extension ClassNameNumbers.ObjectNameNumbers {
    /// Returns a fingerprint of a record's names and values, without the record's position.
    ///
    /// The fingerprint is valid only in this process.
    ///
    /// - Parameter valuesHash: The ``SavedValues/hash`` of the record's values.
    func fingerprint(_ kind: UInt8, valuesHash: UInt64) -> UInt64 {
        let classNumbers = UInt64(classTokenNumber) << 32 | UInt64(restorationClassTokenNumber)
        let storyboardNumbers =
            UInt64(storyboardNameNumber) << 32 | UInt64(storyboardIdentifierNumber)
        let namesHash = ByteHash.combine(classNumbers, storyboardNumbers) ^ UInt64(kind)
        return ByteHash.combine(namesHash, valuesHash)
    }
}

extension ObjectHeader {
    /// Returns a fingerprint of a record with this header's names.
    ///
    /// The fingerprint is valid only in this process.
    ///
    /// - Parameter valuesHash: The ``SavedValues/hash`` of the record's values.
    func fingerprint(valuesHash: UInt64) -> UInt64 {
        ClassNameNumbers.ObjectNameNumbers(
            classTokenNumber: classToken, restorationClassTokenNumber: restorationClassToken,
            storyboardNameNumber: storyboard, storyboardIdentifierNumber: storyboardIdentifier
        ).fingerprint(kind, valuesHash: valuesHash)
    }
}

extension SavedValues {
    /// Hash of the values. It does not depend on the order of the out-of-line values.
    var hash: UInt64 {
        if outOfLine.isEmpty, inlineValues.count <= OutOfLineValue.maximumInlineBytes {
            return ByteHash.hash(inlineValues)
        }
        let values = withLargeValuesOutOfLine
        let inlineHash = ByteHash.hash(values.inlineValues)
        if values.outOfLine.isEmpty { return inlineHash }
        let outOfLineHash = values.outOfLine.reduce(0) { $0 &+ ByteHash.hash($1) }
        return ByteHash.combine(inlineHash, outOfLineHash)
    }
}

extension StateEncoder {
    /// Hash of the current object's values. It equals the ``SavedValues/hash`` of the same values.
    var valuesHash: UInt64 {
        if largeValues.isEmpty { return withValues(ByteHash.hash) }
        return SavedValues(bytes[valuesRange()], largeValues: largeValues).hash
    }
}

/// A hash function for bytes that is several times faster than `Hasher`.
///
/// Hashes are valid only in this process. The keys are chosen at random when the process starts, so an attacker cannot
/// construct values that collide. Different values are as unlikely to collide as two random 64-bit numbers.
enum ByteHash {
    /// Keys of the hash function. They differ between processes.
    private static let keys = (randomKey(), randomKey(), randomKey())

    private static func randomKey() -> UInt64 { .random(in: .min ... .max) }

    /// Returns the hash of bytes.
    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// Returns the hash of bytes.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let keys = keys
        let count = bytes.count
        var hashState = keys.0 ^ UInt64(count)
        var offset = 0
        while count - offset > 16 {
            hashState = mix(word(bytes, offset) ^ keys.1, word(bytes, offset + 8) ^ hashState)
            offset += 16
        }
        let lastBlock =
            count < 16
            ? shortBlock(bytes) : (word(bytes, count - 16), word(bytes, count - 8))
        return mix(lastBlock.0 ^ keys.2, lastBlock.1 ^ hashState)
    }

    /// Combines two hashes into one.
    static func combine(_ first: UInt64, _ second: UInt64) -> UInt64 {
        mix(first ^ keys.1, second ^ keys.2)
    }

    /// Returns the eight bytes at an offset as a number.
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// Returns a block of fewer than 16 bytes, padded with zeros.
    private static func shortBlock(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        return words
    }

    private static func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = first.multipliedFullWidth(by: second)
        return product.high ^ product.low
    }
}
