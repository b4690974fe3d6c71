package import FoundationEssentials

/// The stored form of a `Codable` value that is no ``StateValue``: JSON.
///
/// Keys are sorted, so that equal values have equal bytes (P16). Numbers that JSON lacks are the
/// texts `inf`, `-inf` and `nan`.
package enum CodableText {
    /// Why a value has no JSON, or JSON no value of a type.
    package enum Failure: Error, Equatable {
        /// The value or its type refused.
        case refused(reason: String)
        /// It is nested deeper than ``ValueReader/maximumDepth``.
        case nestedTooDeep
    }

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
        guard isShallow(text) else { throw .nestedTooDeep }
        return text
    }

    package static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, from text: Data
    ) throws(Failure) -> Decoded {
        guard isShallow(text) else { throw .nestedTooDeep }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(type, from: text)
        } catch {
            throw .refused(reason: reason(error))
        }
    }

    /// Whether a text opens at most ``ValueReader/maximumDepth`` brackets within each other.
    private static func isShallow(_ text: Data) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > ValueReader.maximumDepth { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return true
    }

    /// What an error says, without the value that it may carry: that may be a secret (P15).
    private static func reason(_ error: any Error) -> String {
        switch error {
        case EncodingError.invalidValue(_, let context):
            sentence(context.codingPath, context.debugDescription)
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.codingPath, context.debugDescription)
        case DecodingError.keyNotFound(let key, let context):
            sentence(context.codingPath + [key], "it is missing")
        case let error as any CustomStringConvertible: error.description
        default: "\(type(of: error))"
        }
    }

    private static func sentence(_ path: [any CodingKey], _ reason: String) -> String {
        guard !path.isEmpty else { return reason }
        let place = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return "\(place.joined(separator: ".")): \(reason)"
    }
}
