/// View of the fields in the payload of an object or placement record (see `docs/Archive.md`).
public struct ObjectFields {
    /// Length of the fixed fields before the identifier, in bytes.
    @inlinable public static var fixedFieldsByteCount: Int { 6 * 4 + 1 + 1 + 2 + 2 }

    /// Payload of the record.
    public let bytes: UnsafeRawBufferPointer

    /// Creates a view of a payload.
    ///
    /// - Parameter bytes: A payload that has been checked or that this process encoded.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Number of the object.
    @inlinable public var number: UInt32 { bytes.littleEndian(at: 0) }
    /// Number of the parent object, or 0 for a scene.
    @inlinable public var parent: UInt32 { bytes.littleEndian(at: 4) }
    /// Numbers of four names: the class, the restoration class, the storyboard, and the object's identifier in the
    /// storyboard.
    @inlinable public var names: SIMD4<UInt32> {
        SIMD4(
            bytes.littleEndian(at: 8), bytes.littleEndian(at: 12), bytes.littleEndian(at: 16),
            bytes.littleEndian(at: 20))
    }
    /// Kind of the object.
    @inlinable public var kind: UInt8 { bytes[24] }
    /// Length of the identifier in bytes.
    @inlinable public var identifierByteCount: Int { Int(bytes.littleEndian(at: 26) as UInt16) }
    /// Number of out-of-line values. Each value has one key.
    @inlinable public var keyCount: Int { Int(bytes.littleEndian(at: 28) as UInt16) }
    /// Length of the header in bytes. The keys follow the header.
    @inlinable public var headerByteCount: Int { Self.fixedFieldsByteCount + identifierByteCount }
    /// Offset of the values in the payload, in bytes.
    @inlinable public var valuesStart: Int { headerByteCount + 4 * keyCount }
    /// Bytes of the inline values.
    @inlinable public var values: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[valuesStart...])
    }

    /// UTF-8 bytes of the identifier.
    @inlinable public var identifier: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.fixedFieldsByteCount..<headerByteCount])
    }

    /// Returns the key of the out-of-line value with the given index.
    @inlinable public func key(_ index: Int) -> UInt32 {
        bytes.littleEndian(at: headerByteCount + 4 * index)
    }

    /// Keys of all out-of-line values.
    @inlinable public var keys: [UInt32] { (0..<keyCount).map(key) }

    /// Header of the object: all fields except the keys and values.
    @inlinable public var header: ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: kind,
            identifier: String(decoding: identifier, as: UTF8.self), classToken: names[0],
            restorationClassToken: names[1], storyboard: names[2], storyboardIdentifier: names[3])
    }

    /// Returns whether the headers of two objects are equal.
    @inlinable public func hasSameHeader(as other: ObjectFields) -> Bool {
        headerByteCount == other.headerByteCount && kind == other.kind && names == other.names
            && number == other.number && parent == other.parent
            && identifier.elementsEqual(other.identifier)
    }

    /// Whether the payload is long enough for its fields, its reserved byte is 0, and its identifier is valid UTF-8.
    @inlinable public var isWellFormed: Bool {
        bytes.count >= Self.fixedFieldsByteCount && bytes[25] == 0 && valuesStart <= bytes.count
            && identifier.isUTF8
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the little-endian integer at an offset. The buffer must contain all bytes of the integer.
    @inlinable public func littleEndian<Number: FixedWidthInteger>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Whether the bytes are valid UTF-8.
    @inlinable public var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
