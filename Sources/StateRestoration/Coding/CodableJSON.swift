import ExactText
package import FoundationEssentials

/// Conversion between JSON and values of `Codable` types that are not ``StateValue`` types.
///
/// Such values are stored as JSON. Keys are sorted so that equal values have equal bytes (P16). Numbers that JSON
/// cannot represent are stored as the strings `inf`, `-inf` and `nan`.
package enum CodableJSON {
    /// Reason why a value could not be encoded as JSON or decoded from JSON.
    package enum Failure: Error, Equatable {
        /// The type threw an error, or the value contains a `Decimal` that is not a number.
        case refused(reason: String)
        /// The value is nested more deeply than ``ValueReader/maximumDepth``.
        case nestedTooDeep
    }

    /// Encodes a value as JSON with sorted keys.
    package static func encode(_ value: some Encodable) throws(Failure) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text: Data
        do {
            text = try encoder.encode(value)
        } catch {
            throw .refused(reason: reason(error))
        }
        try check(text)
        return text
    }

    /// Decodes a value of the given type from JSON.
    package static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, from text: Data
    ) throws(Failure) -> Decoded {
        try check(text)
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(type, from: text)
        } catch {
            throw .refused(reason: reason(error))
        }
    }

    /// Throws an error if JSON is nested too deeply or contains `NaN` outside of strings.
    ///
    /// The maximum depth is ``ValueReader/maximumDepth``. `NaN` is not valid JSON, but `JSONEncoder` writes it for a
    /// `Decimal` that is not a number.
    private static func check(_ text: Data) throws(Failure) {
        if let failure = text.withUnsafeBytes({ failure(in: $0) }) { throw failure }
    }

    private static func failure(in text: UnsafeRawBufferPointer) -> Failure? {
        var nestingDepth = 0
        var isInString = false
        var bytes = text.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "\\"): _ = bytes.next()
            case UInt8(ascii: "\""): isInString.toggle()
            case _ where isInString: break
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                nestingDepth += 1
                if nestingDepth > ValueReader.maximumDepth { return .nestedTooDeep }
            case UInt8(ascii: "N"):
                return .refused(reason: "it contains a Decimal that is not a number")
            case UInt8(ascii: "]"), UInt8(ascii: "}"): nestingDepth -= 1
            default: break
            }
        }
        return nil
    }

    /// Returns a description of an error, without the value that caused the error.
    ///
    /// The value might be a secret (P15).
    private static func reason(_ error: any Error) -> String {
        unescapedReason(error).escapingControlCharacters
    }

    private static func unescapedReason(_ error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context):
            errorMessage(context.codingPath, context.debugDescription)
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            errorMessage(context.codingPath, context.debugDescription)
        case DecodingError.keyNotFound(let key, let context):
            errorMessage(context.codingPath + [key], "it is missing")
        case let error as any CustomStringConvertible: error.description
        default: "\(type(of: error))"
        }
    }

    private static func errorMessage(_ path: [any CodingKey], _ reason: String) -> String {
        guard !path.isEmpty else { return reason }
        let location = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return "\(location.joined(separator: ".")): \(reason)"
    }
}

/// Form in which a `Codable` value is stored.
enum StoredForm {
    /// Nothing is stored, because the value is `nil` or sensitive (P15).
    case nothing
    /// The value is stored unchanged.
    case value(any StateValue)
    /// The value is stored as JSON.
    case json(Data)

    /// Determines the form of a value.
    init(of value: some Encodable) throws(CodableJSON.Failure) {
        if value is any SensitiveValue || (value as? any OptionalValue)?.isNil == true {
            self = .nothing
        } else if (value as? any OptionalValue)?.containsNil == true {
            throw .refused(reason: "it is an optional that contains an optional without a value")
        } else if let value = value as? any StateValue {
            self = .value(value)
        } else {
            self = .json(try CodableJSON.encode(value))
        }
    }
}

extension StateEncoder {
    /// Stores any `Codable` value under a key, or nothing if the value is `nil`.
    ///
    /// A ``StateValue`` is stored unchanged. Every other value is stored as JSON. If the value cannot be encoded, the
    /// error is reported, and the previously saved value is kept (P9).
    public func encode(_ value: some Encodable, forKey key: StaticString) {
        do throws(CodableJSON.Failure) {
            switch try StoredForm(of: value) {
            case .nothing: return
            case .value(let value): encode(value, forKey: key)
            case .json(let text):
                store(key) { target in
                    target.writer.write(.codable)
                    target.writer.writeBytes(text)
                }
            }
        } catch {
            switch error {
            case .nestedTooDeep: refuse(.nestedTooDeep, key)
            case .refused(let reason): refuse(.codable(reason: reason), key)
            }
        }
    }

    /// Does nothing, because a sensitive value is never saved (P15).
    public func encode<Value>(_ value: Sensitive<Value>, forKey key: StaticString) {}

    /// Stores any `Codable` value under a key. Unlike ``encode(_:forKey:)``, this method stores `nil` explicitly.
    package func encodeIncludingNil(_ value: some Encodable, forKey key: StaticString) {
        if (value as? any OptionalValue)?.isNil == true {
            encodeNull(forKey: key)
        } else {
            encode(value, forKey: key)
        }
    }

    /// Stores an explicit `nil`, which is distinct from a missing value.
    @usableFromInline
    func encodeNull(forKey key: StaticString) {
        store(key) { $0.writer.write(.null) }
    }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    var containsNil: Bool { map { ($0 as? any OptionalValue)?.isNil == true } ?? false }
    static var wrappedType: Any.Type { Wrapped.self }
}

extension StateDecoder {
    /// Returns the `Codable` value saved under a key, or `nil` if nothing was saved under it.
    ///
    /// The result is also `nil` for every ``Sensitive`` value (P15).
    ///
    /// - Throws: ``StateDecodingError`` if the saved value has a different type (R14), or if `Decoded` rejects it.
    public func decode<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        if Decoded.self is any SensitiveValue.Type { return nil }
        if let type = Decoded.self as? any OptionalValue.Type {
            guard let value = try decodeOptional(type, forKey: key) else { return nil }
            return value as? Decoded
        }
        if let type = Decoded.self as? any StateValue.Type {
            return try decode(type, forKey: key) as? Decoded
        }
        let text = try read(key, requested: String(describing: Decoded.self)) { source -> Data? in
            guard try source.read(.codable) else { return nil }
            return Data(try source.reader.readBytes())
        }
        guard let text else { return nil }
        do throws(CodableJSON.Failure) {
            return try CodableJSON.decode(Decoded.self, from: text)
        } catch {
            switch error {
            case .nestedTooDeep:
                throw failure(key, .malformed(reason: ValueError.nestedTooDeep.description))
            case .refused(let reason):
                throw failure(key, .refused(type: String(describing: Decoded.self), reason: reason))
            }
        }
    }

    /// Returns the `Codable` value saved under a key like ``decode(_:forKey:)``, but throws an error if an explicit
    /// `nil` was saved and the type is not optional.
    ///
    /// - Throws: ``StateDecodingError``
    package func decodeIncludingNil<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        if let value = try decode(type, forKey: key) { return value }
        if try isNull(key) {
            throw failure(
                key, .typeMismatch(saved: "nil", requested: String(describing: Decoded.self)))
        }
        return nil
    }

    /// Decodes an optional value, or returns `nil` if nothing was saved under the key.
    ///
    /// An explicitly saved `nil` is returned as a nested optional, `.some(nil)`.
    private func decodeOptional(
        _ type: any OptionalValue.Type, forKey key: StaticString
    ) throws(StateDecodingError) -> Any? {
        if try isNull(key) { return type.none }
        guard let wrapped = type.wrappedType as? any Decodable.Type else { return nil }
        return try decode(wrapped, forKey: key)
    }
}
