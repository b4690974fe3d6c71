extension Bool: StateValue {
    /// `Bool`.
    public static var stateTypeName: String { ValueTag.true.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(self ? .true : .false)
    }

    /// Reads a stored truth value.
    public static func read(from source: inout StateValueReader) throws -> Bool? {
        switch try source.reader.readTag() {
        case .true: true
        case .false: false
        default: nil
        }
    }
}

extension StateValue where Self: FixedWidthInteger {
    /// The integer type's name, as `Int`.
    public static var stateTypeName: String { String(describing: Self.self) }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        if let value = Int64(exactly: self) {
            target.writer.write(.integer)
            target.writer.writeZigzag(value)
        } else {
            target.writer.write(.unsigned)
            target.writer.writeVarint(UInt64(self))
        }
    }

    /// Reads a stored integer; nil if it does not fit.
    public static func read(from source: inout StateValueReader) throws -> Self? {
        switch try source.reader.readTag() {
        case .integer: Self(exactly: try source.reader.readZigzag())
        case .unsigned: Self(exactly: try source.reader.readVarint())
        default: nil
        }
    }
}

extension Int: StateValue {}
extension Int8: StateValue {}
extension Int16: StateValue {}
extension Int32: StateValue {}
extension Int64: StateValue {}
extension UInt: StateValue {}
extension UInt8: StateValue {}
extension UInt16: StateValue {}
extension UInt32: StateValue {}
extension UInt64: StateValue {}

extension Double: StateValue {
    /// `Double`.
    public static var stateTypeName: String { ValueTag.double.name }

    /// Writes the value in its stored form.
    public func write(to target: inout StateValueWriter) {
        target.writer.write(.double)
        target.writer.writeFixed(bitPattern)
    }

    /// Reads a stored floating-point number.
    public static func read(from source: inout StateValueReader) throws -> Double? {
        guard try source.read(.double) else { return nil }
        return Double(bitPattern: try source.reader.readFixed())
    }
}

extension Float: StateValue {
    /// `Float`.
    public static var stateTypeName: String { "Float" }

    /// Writes the value as a `Double`.
    public func write(to target: inout StateValueWriter) {
        Double(self).write(to: &target)
    }

    /// Reads a stored floating-point number; nil if `Float` does not have that number.
    public static func read(from source: inout StateValueReader) throws -> Float? {
        guard let value = try Double.read(from: &source) else { return nil }
        return value.isNaN ? Float(value) : Float(exactly: value)
    }
}
