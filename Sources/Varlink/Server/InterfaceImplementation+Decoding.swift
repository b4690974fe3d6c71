extension InterfaceImplementation {
    /// Parameters that passed the checks against the definition, as the handler's type.
    /// - Throws: `InvalidParameter` naming the parameter at the top that does not fit the type.
    static func decode<Parameters: Decodable>(
        _ type: Parameters.Type, from bytes: [UInt8]
    ) throws -> Parameters {
        do {
            return try JSONText.decode(type, from: bytes)
        } catch let error as DecodingError {
            let name = try error.parameter ?? misfit(type, in: bytes)
            throw VarlinkError.invalidParameter(name ?? "")
        }
    }

    /// The parameter whose number does not fit: the decoder does not say, so it is the one with whose
    /// numbers replaced it finds no such fault.
    private static func misfit<Parameters: Decodable>(
        _ type: Parameters.Type, in bytes: [UInt8]
    ) throws -> String? {
        var scanner = JSONScanner(bytes)
        guard case .object(let members) = try scanner.value() else { return nil }
        for index in members.indices {
            let member = members[index]
            var others = members
            others[index] = JSONValue.Member(
                name: member.name, value: member.value.withSmallNumbers)
            do {
                _ = try JSONText.decode(type, from: JSONText.text(.object(others)))
                return member.name
            } catch let error as DecodingError where error.parameter != nil {
                return member.name
            } catch is DecodingError {
                continue
            }
        }
        return nil
    }
}

extension DecodingError {
    /// The name of the parameter at the top that could not be decoded, if the error tells it.
    fileprivate var parameter: String? {
        switch self {
        case .keyNotFound(let key, let context):
            context.codingPath.first?.stringValue ?? key.stringValue
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.first?.stringValue
        @unknown default: nil
        }
    }
}

extension JSONValue {
    /// The value with 0 in the place of each number, which fits every type.
    fileprivate var withSmallNumbers: JSONValue {
        switch self {
        case .number: .number("0")
        case .array(let values): .array(values.map(\.withSmallNumbers))
        case .object(let members):
            .object(
                members.map { Member(name: $0.name, value: $0.value.withSmallNumbers) })
        case .null, .bool, .string: self
        }
    }
}
