import ExactText

/// Header of an object's record: everything except the object's values (P13).
///
/// Object numbers and name numbers are unique within an archive. The number 0 means "no object" or "no name".
public struct ObjectHeader: Sendable {
    /// Number of the object, at least 1.
    public var number: UInt32
    /// Number of the parent object, or 0 for a scene.
    public var parent: UInt32
    /// Kind of the object.
    public var kind: UInt8
    /// Restoration identifier of the object (I5), or the name if the object is a scene.
    public var identifier: String
    /// Number of the class name.
    public var classToken: UInt32
    /// Number of the restoration class name.
    public var restorationClassToken: UInt32
    /// Number of the storyboard name, if a storyboard created the object.
    public var storyboard: UInt32
    /// Number of the object's identifier in the storyboard.
    public var storyboardIdentifier: UInt32

    /// Creates a header. Numbers that are omitted are 0.
    public init(
        number: UInt32, parent: UInt32, kind: UInt8, identifier: String, classToken: UInt32 = 0,
        restorationClassToken: UInt32 = 0, storyboard: UInt32 = 0, storyboardIdentifier: UInt32 = 0
    ) {
        self.number = number
        self.parent = parent
        self.kind = kind
        self.identifier = identifier
        self.classToken = classToken
        self.restorationClassToken = restorationClassToken
        self.storyboard = storyboard
        self.storyboardIdentifier = storyboardIdentifier
    }
}

extension ObjectHeader: Equatable {
    /// Returns whether two headers are encoded as the same bytes.
    public static func == (left: ObjectHeader, right: ObjectHeader) -> Bool {
        left.number == right.number && left.parent == right.parent && left.kind == right.kind
            && left.identifier == right.identifier && left.classToken == right.classToken
            && left.restorationClassToken == right.restorationClassToken
            && left.storyboard == right.storyboard
            && left.storyboardIdentifier == right.storyboardIdentifier
    }
}

/// Record of an object as encoded by one pass.
///
/// Copies of a record share its encoded values.
public struct ObjectRecord: Sendable, Equatable {
    /// Header that identifies the object and its parent.
    public var header: ObjectHeader
    /// Encoded inline values.
    public var values: ArraySlice<UInt8>
    /// Large values, each stored in a record of its own. Most objects have no large values.
    public var outOfLine: [OutOfLineValue]

    /// Creates a record from a header and values.
    public init(header: ObjectHeader, values: ArraySlice<UInt8>, outOfLine: [OutOfLineValue] = []) {
        self.header = header
        self.values = values
        self.outOfLine = outOfLine
    }
}

/// Large value of an object, stored in a record of its own.
///
/// The record is written only if this value has changed.
public struct OutOfLineValue: Sendable, Equatable {
    /// Maximum size, in bytes, of a key and value that are stored in the object's own record.
    public static let maximumInlineBytes = 4096
    /// Number of payload bytes before the value: the object's number and the key.
    @inlinable public static var headerByteCount: Int { 4 + 4 }

    /// Number of the key's name. The key identifies the value within the object.
    public var key: UInt32
    /// Encoded key and value.
    public var bytes: ArraySlice<UInt8>

    /// Creates a value from its encoded bytes.
    public init(key: UInt32, bytes: ArraySlice<UInt8>) {
        self.key = key
        self.bytes = bytes
    }
}

extension RecordList {
    /// Creates a list by copying the records of objects.
    public init(_ objects: some Sequence<ObjectRecord>) {
        self.init()
        for object in objects { append(object) }
    }

    /// Appends the record of an object, followed by the records of its out-of-line values.
    public mutating func append(_ object: ObjectRecord) {
        encode(.object) {
            $0.append(object.header, keys: object.outOfLine.map(\.key))
            $0.append(contentsOf: object.values)
        }
        for value in object.outOfLine {
            encode(.value) { $0.append(object.header.number, value) }
        }
    }

    /// Returns the object at an index in the list, including the out-of-line values that follow it.
    public func object(at index: Int) -> ObjectRecord {
        let span = spans[index]
        let (header, start) = withPayload(of: span) {
            let fields = ObjectFields($0)
            return (fields.header, fields.valuesStart)
        }
        return ObjectRecord(
            header: header, values: payload(of: span).dropFirst(start),
            outOfLine: outOfLineValues(at: index))
    }

    /// Returns the out-of-line values of the object at an index in the list.
    public func outOfLineValues(at index: Int) -> [OutOfLineValue] {
        var values: [OutOfLineValue] = []
        var nextIndex = index + 1
        while nextIndex < spans.count, spans[nextIndex].type == .value {
            let payload = payload(of: spans[nextIndex])
            values.append(
                OutOfLineValue(
                    key: payload.withUnsafeBytes { $0.littleEndian(at: 4) },
                    bytes: payload.dropFirst(OutOfLineValue.headerByteCount)))
            nextIndex += 1
        }
        return values
    }

    /// All objects in the list, with their out-of-line values.
    public var objects: [ObjectRecord] {
        spans.indices.filter { spans[$0].type == .object }.map(object)
    }
}

extension [UInt8] {
    /// Appends an integer in little-endian order.
    public mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends the beginning of an object's payload: the header and the keys of out-of-line values.
    public mutating func append(_ header: ObjectHeader, keys: [UInt32] = []) {
        var identifier = header.identifier
        identifier.withUTF8 { identifier in
            let numbers = (
                header.number.littleEndian, header.parent.littleEndian,
                header.classToken.littleEndian, header.restorationClassToken.littleEndian,
                header.storyboard.littleEndian, header.storyboardIdentifier.littleEndian
            )
            Swift.withUnsafeBytes(of: numbers) { append(contentsOf: $0) }
            let counts = (
                UInt16(header.kind).littleEndian,
                UInt16(truncatingIfNeeded: identifier.count).littleEndian,
                UInt16(truncatingIfNeeded: keys.count).littleEndian
            )
            Swift.withUnsafeBytes(of: counts) { append(contentsOf: $0) }
            append(contentsOf: identifier)
        }
        for key in keys { appendLittleEndian(key) }
    }

    /// Appends the payload of an out-of-line value.
    public mutating func append(_ object: UInt32, _ value: OutOfLineValue) {
        appendLittleEndian(object)
        appendLittleEndian(value.key)
        append(contentsOf: value.bytes)
    }
}
