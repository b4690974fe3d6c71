import ExactText

/// An object's record but for its values (P13). Numbers are unique in one archive, and 0 means none.
public struct ObjectHeader: Sendable {
    /// The object's number, 1 or more.
    public var number: UInt32
    /// The number of the object it stands below; 0 for a scene.
    public var parent: UInt32
    /// What sort of object it is.
    public var kind: UInt8
    /// The object's own restoration identifier (I5), or the scene's name.
    public var identifier: String
    /// The number of the name that is its class token.
    public var classToken: UInt32
    /// The number of the name that is its restoration class's token.
    public var restorationClassToken: UInt32
    /// The number of the name of the storyboard it was made from.
    public var storyboard: UInt32
    /// The number of the name it has in that storyboard.
    public var storyboardIdentifier: UInt32

    /// Makes a header; what is left out is 0, for none.
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
    /// Whether two headers are recorded as the same bytes.
    public static func == (left: ObjectHeader, right: ObjectHeader) -> Bool {
        left.number == right.number && left.parent == right.parent && left.kind == right.kind
            && left.identifier == right.identifier && left.classToken == right.classToken
            && left.restorationClassToken == right.restorationClassToken
            && left.storyboard == right.storyboard
            && left.storyboardIdentifier == right.storyboardIdentifier
    }
}

/// An object as one pass left it: its header, and its values as opaque bytes, which copies share.
public struct ObjectRecord: Sendable, Equatable {
    /// Where the object stands and what it is.
    public var header: ObjectHeader
    /// The encoded values but for those out of line.
    public var values: ArraySlice<UInt8>
    /// The large values, each a record of its own in the file; mostly none.
    public var outOfLine: [OutOfLineValue]

    /// Makes a record of a header and values.
    public init(header: ObjectHeader, values: ArraySlice<UInt8>, outOfLine: [OutOfLineValue] = []) {
        self.header = header
        self.values = values
        self.outOfLine = outOfLine
    }
}

/// A value of an object that is so large that it has a record of its own, which is written only when
/// the value changed itself.
public struct OutOfLineValue: Sendable, Equatable {
    /// The most bytes that a key and its value take in the object's own record.
    public static let largestInRecord = 4096
    /// How many bytes of its record's payload come before the value: the numbers of object and key.
    @inlinable public static var prefix: Int { 4 + 4 }

    /// Tells it from the object's other values: the number of its key's name.
    public var key: UInt32
    /// The key and the value, as the encoder wrote them.
    public var bytes: ArraySlice<UInt8>

    /// Makes a value of these bytes.
    public init(key: UInt32, bytes: ArraySlice<UInt8>) {
        self.key = key
        self.bytes = bytes
    }
}

extension RecordList {
    /// The records of objects, whose bytes are copied.
    public init(_ objects: some Sequence<ObjectRecord>) {
        self.init()
        for object in objects { append(object) }
    }

    /// Adds an object's record, and behind it those of its out-of-line values.
    public mutating func append(_ object: ObjectRecord) {
        encode(.object) {
            $0.append(object.header, keys: object.outOfLine.map(\.key))
            $0.append(contentsOf: object.values)
        }
        for value in object.outOfLine {
            encode(.value) { $0.append(object.header.number, value) }
        }
    }

    /// The object whose record is at a place; those of its out-of-line values follow it.
    public func object(at place: Int) -> ObjectRecord {
        let span = spans[place]
        let (header, start) = withPayload(of: span) {
            let fields = ObjectFields($0)
            return (fields.header, fields.valuesStart)
        }
        return ObjectRecord(
            header: header, values: payload(of: span).dropFirst(start),
            outOfLine: outOfLineValues(at: place))
    }

    /// The out-of-line values of the object whose record is at a place.
    public func outOfLineValues(at place: Int) -> [OutOfLineValue] {
        var values: [OutOfLineValue] = []
        var next = place + 1
        while next < spans.count, spans[next].type == .value {
            let payload = payload(of: spans[next])
            values.append(
                OutOfLineValue(
                    key: payload.withUnsafeBytes { $0.littleEndian(at: 4) },
                    bytes: payload.dropFirst(OutOfLineValue.prefix)))
            next += 1
        }
        return values
    }

    /// The objects with their out-of-line values.
    public var objects: [ObjectRecord] {
        spans.indices.filter { spans[$0].type == .object }.map(object)
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    public mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Appends the beginning of an object's payload, up to its values.
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
