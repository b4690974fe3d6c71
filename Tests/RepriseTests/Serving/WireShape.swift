import RepriseControl
import Varlink

/// What a type looks like on the wire, in the words of a definition: its fields are found out by
/// decoding it from a decoder that has every field.
struct WireShape {
    /// Each field with its type, such as `?string`, in the order of their names.
    let fields: [String]
    /// The type, such as `(path: string, row: ?int)`.
    let text: String

    /// The fields that a definition states.
    init(_ fields: [Field], in definition: InterfaceDefinition) {
        self.init(
            fields.map { "\($0.name): \(Self.text($0.type, in: definition))" })
    }

    private init(_ fields: [String]) {
        self.fields = fields.sorted()
        text = "(\(self.fields.joined(separator: ", ")))"
    }

    /// The shape of a type, and a value with something in every field: in one of text, its name.
    ///
    /// - Parameter name: of an enumeration with fields, the case that is meant.
    static func of<Value: Decodable>(
        _ type: Value.Type, case name: String? = nil
    ) throws -> (WireShape, Value) {
        let decoder = ShapeDecoder(case: name)
        let value = try Value(from: decoder)
        return (WireShape(decoder.fields.map { "\($0): \($1)" }), value)
    }

    private static func text(_ type: ValueType, in definition: InterfaceDefinition) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name):
            definition.type(named: name).map { text($0.type, in: definition) } ?? "(undefined)"
        case .structure(let fields): WireShape(fields, in: definition).text
        case .enumeration(let words): "(\(words.map(\.name).sorted().joined(separator: ", ")))"
        case .array(let element): "[]\(text(element, in: definition))"
        case .map(let element): "[string]\(text(element, in: definition))"
        case .nullable(let inner): "?\(text(inner, in: definition))"
        }
    }
}

/// Has every field that it is asked for, and notes its type.
private final class ShapeDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let name: String?
    var fields: [String: String] = [:]
    var nullable: Set<String> = []

    init(case name: String? = nil) { self.name = name }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ShapeContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unsupported() }

    /// A message has only fields whose types a definition can state.
    struct Unsupported: Error {}
}

private struct ShapeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ShapeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.name.flatMap(Key.init(stringValue:)).map { [$0] } ?? [] }

    func contains(_ key: Key) -> Bool { true }

    /// Only what may be missing is asked whether it is null.
    func decodeNil(forKey key: Key) -> Bool {
        decoder.nullable.insert(key.stringValue)
        return false
    }

    private func note<Value>(_ key: Key, _ type: String, _ value: Value) -> Value {
        let isNullable = decoder.nullable.contains(key.stringValue)
        decoder.fields[key.stringValue] = (isNullable ? "?" : "") + type
        return value
    }

    func decode(_: Bool.Type, forKey key: Key) -> Bool { note(key, "bool", true) }
    func decode(_: String.Type, forKey key: Key) -> String {
        note(key, "string", "the \(key.stringValue)")
    }
    func decode(_: Double.Type, forKey key: Key) -> Double { note(key, "float", -1.5) }
    func decode(_: Int.Type, forKey key: Key) -> Int { note(key, "int", -7) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (text, value) = try shape(of: type)
        guard let value = value as? Value else { throw ShapeDecoder.Unsupported() }
        return note(key, text, value)
    }

    private func shape(of type: any Decodable.Type) throws -> (String, any Decodable) {
        switch type {
        case is String.Type: return ("string", "an element")
        case is Int.Type: return ("int", -7)
        case is StateJSON.Type: return ("object", StateJSON.array([.null]))
        case is [String: StateJSON].Type: return ("[string]object", ["k": StateJSON.bool(true)])
        case is [String: Int].Type: return ("[string]int", ["k": -7])
        case let list as any List.Type:
            let (element, value) = try shape(of: list.element)
            return ("[]\(element)", list.list(of: value))
        case let words as any (CaseIterable & RawRepresentable & Decodable).Type:
            return try shape(ofWords: words)
        default: return try shape(ofStructure: type)
        }
    }

    private func shape<Words: CaseIterable & RawRepresentable & Decodable>(
        ofWords words: Words.Type
    ) throws -> (String, any Decodable) {
        guard let word = words.allCases.first else { throw ShapeDecoder.Unsupported() }
        let all = words.allCases.map { "\($0.rawValue)" }.sorted()
        return ("(\(all.joined(separator: ", ")))", word)
    }

    private func shape<Value: Decodable>(
        ofStructure type: Value.Type
    ) throws -> (String, any Decodable) {
        let (shape, value) = try WireShape.of(type)
        return (shape.text, value)
    }

    /// An enumeration keeps the fields of a case under its name.
    func nestedContainer<NestedKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> { decoder.container(keyedBy: type) }

    // No message has fields of these types.
    func decode(_: Float.Type, forKey: Key) throws -> Float { throw ShapeDecoder.Unsupported() }
    func decode(_: Int8.Type, forKey: Key) throws -> Int8 { throw ShapeDecoder.Unsupported() }
    func decode(_: Int16.Type, forKey: Key) throws -> Int16 { throw ShapeDecoder.Unsupported() }
    func decode(_: Int32.Type, forKey: Key) throws -> Int32 { throw ShapeDecoder.Unsupported() }
    func decode(_: Int64.Type, forKey: Key) throws -> Int64 { throw ShapeDecoder.Unsupported() }
    func decode(_: UInt.Type, forKey: Key) throws -> UInt { throw ShapeDecoder.Unsupported() }
    func decode(_: UInt8.Type, forKey: Key) throws -> UInt8 { throw ShapeDecoder.Unsupported() }
    func decode(_: UInt16.Type, forKey: Key) throws -> UInt16 { throw ShapeDecoder.Unsupported() }
    func decode(_: UInt32.Type, forKey: Key) throws -> UInt32 { throw ShapeDecoder.Unsupported() }
    func decode(_: UInt64.Type, forKey: Key) throws -> UInt64 { throw ShapeDecoder.Unsupported() }
    func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer {
        throw ShapeDecoder.Unsupported()
    }
    func superDecoder() throws -> any Decoder { throw ShapeDecoder.Unsupported() }
    func superDecoder(forKey: Key) throws -> any Decoder { throw ShapeDecoder.Unsupported() }
}

/// A list, whatever its elements are.
private protocol List {
    static var element: any Decodable.Type { get }
    static func list(of value: any Decodable) -> any Decodable
}

extension Array: List where Element: Decodable {
    static var element: any Decodable.Type { Element.self }
    static func list(of value: any Decodable) -> any Decodable {
        [value].compactMap { $0 as? Element }
    }
}
