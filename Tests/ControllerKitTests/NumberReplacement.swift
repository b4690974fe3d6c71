import StateRestoration

/// A copy of stored values in which one number is replaced.
struct NumberReplacement {
    private var reader: ValueReader
    private var writer = ValueWriter()
    private let target: Int
    private let integer: Int64
    private let double: Double
    private var count = 0

    /// Returns the number of numbers in the values of a record.
    static func count(in values: ArraySlice<UInt8>) throws -> Int {
        var copy = NumberReplacement(values, -1, 0, 0)
        try copy.run()
        return copy.count
    }

    /// Returns the values of a record with one number replaced.
    ///
    /// - Parameters:
    ///   - target: Index of the number to replace, in the order of the values.
    ///   - integer: The new number if the replaced number is an integer.
    ///   - double: The new number if the replaced number is a floating-point number.
    static func values(
        _ values: ArraySlice<UInt8>, replacing target: Int, by integer: Int64, or double: Double
    ) throws -> [UInt8] {
        var copy = NumberReplacement(values, target, integer, double)
        try copy.run()
        return copy.writer.bytes
    }

    private init(_ values: ArraySlice<UInt8>, _ target: Int, _ integer: Int64, _ double: Double) {
        reader = ValueReader(values)
        self.target = target
        self.integer = integer
        self.double = double
    }

    private mutating func run() throws {
        while !reader.isAtEnd {
            writer.writeVarint(try reader.readVarint())
            try copyValue()
        }
    }

    private mutating func isTarget() -> Bool {
        defer { count += 1 }
        return count == target
    }

    private mutating func copyInteger() throws {
        let number = try reader.readZigzag()
        writer.writeZigzag(isTarget() ? integer : number)
    }

    private mutating func copyCount() throws -> Int {
        let count = try reader.readCount()
        writer.writeVarint(UInt64(count))
        return count
    }

    private mutating func copyValue() throws {
        let tag = try reader.readTag()
        writer.write(tag)
        switch tag {
        case .false, .true, .null: break
        case .integer: try copyInteger()
        case .unsigned:
            let number = try reader.readVarint()
            writer.writeVarint(isTarget() ? UInt64(bitPattern: integer) : number)
        case .double, .date:
            let bits = try reader.readUInt64()
            writer.writeUInt64(isTarget() ? double.bitPattern : bits)
        case .string, .data, .url, .codable: writer.writeBytes(try reader.readBytes())
        case .uuid: writer.writeRawBytes(try reader.readSlice(16))
        case .range, .closedRange:
            try copyInteger()
            try copyInteger()
        case .indexPath: for _ in 0..<(try copyCount()) { try copyInteger() }
        case .array: for _ in 0..<(try copyCount()) { try copyValue() }
        case .dictionary:
            for _ in 0..<(try copyCount()) {
                writer.writeText(try reader.readText())
                try copyValue()
            }
        case .reference: writer.writeVarint(try reader.readVarint())
        }
    }
}
