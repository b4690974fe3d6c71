/// The fields of an object's payload, or of a placement's; see `docs/Archive.md`.
public struct ObjectFields {
    /// How many bytes come before the identifier.
    @inlinable public static var prefix: Int { 6 * 4 + 1 + 1 + 2 + 2 }

    public let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: a payload that was checked, or encoded here.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inlinable public var number: UInt32 { bytes.littleEndian(at: 0) }
    @inlinable public var parent: UInt32 { bytes.littleEndian(at: 4) }
    /// The numbers of the names of class, restoration class, storyboard, and the one in it.
    @inlinable public var names: SIMD4<UInt32> {
        SIMD4(
            bytes.littleEndian(at: 8), bytes.littleEndian(at: 12), bytes.littleEndian(at: 16),
            bytes.littleEndian(at: 20))
    }
    @inlinable public var kind: UInt8 { bytes[24] }
    @inlinable public var identifierCount: Int { Int(bytes.littleEndian(at: 26) as UInt16) }
    @inlinable public var keyCount: Int { Int(bytes.littleEndian(at: 28) as UInt16) }
    /// How many bytes come before the keys: what a placement may change.
    @inlinable public var headerCount: Int { Self.prefix + identifierCount }
    /// Where the values begin.
    @inlinable public var valuesStart: Int { headerCount + 4 * keyCount }
    @inlinable public var values: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[valuesStart...])
    }

    @inlinable public var identifier: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: bytes[
                Self.prefix..<Self.prefix + identifierCount])
    }

    /// The key of an out-of-line value.
    @inlinable public func key(_ index: Int) -> UInt32 {
        bytes.littleEndian(at: headerCount + 4 * index)
    }

    @inlinable public var keys: [UInt32] { (0..<keyCount).map(key) }

    @inlinable public var header: ObjectHeader {
        ObjectHeader(
            number: number, parent: parent, kind: kind,
            identifier: String(decoding: identifier, as: UTF8.self), classToken: names[0],
            restorationClassToken: names[1], storyboard: names[2], storyboardIdentifier: names[3])
    }

    /// Whether another object has the same header.
    @inlinable public func hasHeader(of other: ObjectFields) -> Bool {
        headerCount == other.headerCount && kind == other.kind && names == other.names
            && number == other.number && parent == other.parent
            && identifier.elementsEqual(other.identifier)
    }

    /// Whether a payload is as long as it says, and its text is one.
    @inlinable public var isLegal: Bool {
        bytes.count >= Self.prefix && bytes[25] == 0 && valuesStart <= bytes.count
            && identifier.isUTF8
    }
}

extension UnsafeRawBufferPointer {
    /// The number at an offset, which must be wholly there.
    @inlinable public func littleEndian<Number: FixedWidthInteger>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Whether the bytes are text.
    @inlinable public var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
