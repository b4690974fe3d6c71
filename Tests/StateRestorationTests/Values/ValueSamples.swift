import FoundationEssentials
import StateRestoration

/// Stored values and readers of every type.
enum ValueSamples {
    static let stored: [[UInt8]] = [
        bytes(true), bytes(false), bytes(-3), bytes(Int.max), bytes(UInt64.max), bytes(1.5),
        bytes("hëllo"), bytes(Data([1, 2, 3])), bytes(Date(timeIntervalSinceReferenceDate: 5)),
        bytes(UUID()), bytes(IndexPath(indexes: [1, 2, 3])), bytes(2..<7), bytes(2...7),
        bytes([1, 2, 3]), bytes(["a", "b"]), bytes([[true], []]), bytes(["k": 1, "l": 2]),
        bytes(["k": ["a": [1.5]]]), bytes([URL(filePath: "/a b")]), [ValueTag.null.rawValue],
        [ValueTag.codable.rawValue, 9] + Array(#"{"a":[1]}"#.utf8),
        [ValueTag.reference.rawValue, 0x81, 0x01],
    ]

    /// Functions that read each type.
    ///
    /// The result is `nil` if the bytes are refused or have another type. Otherwise, it is whether the value that was
    /// read remains the same when it is written and read again.
    static let readers: [(name: String, read: @Sendable ([UInt8]) -> Bool?)] = [
        reader(Bool.self), reader(Int.self), reader(Int8.self), reader(UInt64.self),
        reader(Double.self), reader(Float.self), reader(String.self), reader(Data.self),
        reader(Date.self), reader(URL.self), reader(UUID.self), reader(IndexPath.self),
        reader(Range<Int>.self), reader(ClosedRange<Int>.self), reader([Int].self),
        reader([String].self), reader([[Bool]].self), reader([URL].self),
        reader([String: Int].self), reader([String: [String: [Double]]].self),
    ]

    static func bytes(_ value: some StateValue) -> [UInt8] {
        var writer = StateValueWriter()
        value.write(to: &writer)
        return writer.writer.bytes
    }

    private static func reader<Kind: StateValue>(
        _ type: Kind.Type
    ) -> (name: String, read: @Sendable ([UInt8]) -> Bool?) {
        let read: @Sendable ([UInt8]) -> Bool? = { input in
            var source = StateValueReader(reader: ValueReader(input[...]))
            guard let value = try? Kind.read(from: &source) else { return nil }
            let first = bytes(value)
            var again = StateValueReader(reader: ValueReader(first[...]))
            guard let second = try? Kind.read(from: &again) else { return false }
            return bytes(second) == first && again.reader.isAtEnd
        }
        return (String(describing: type), read)
    }
}
