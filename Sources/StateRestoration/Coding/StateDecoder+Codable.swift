internal import FoundationEssentials

extension StateDecoder {
    /// The `Codable` value of a key; nil if nothing was saved under it, and for every ``Sensitive``
    /// value (P15).
    ///
    /// - Throws: ``StateDecodingError`` if the saved value is of another type (R14), or if `Decoded`
    ///   does not take what was saved.
    public func decode<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, forKey key: StaticString
    ) throws(StateDecodingError) -> Decoded? {
        if Decoded.self is any NeverSaved.Type { return nil }
        if let type = Decoded.self as? any OptionalValue.Type {
            guard let value = try decodeOptional(type, forKey: key) else { return nil }
            return value as? Decoded
        }
        if let type = Decoded.self as? any StateValue.Type {
            return try decodeStateValue(type, forKey: key) as? Decoded
        }
        let text = try read(key, asked: String(describing: Decoded.self)) { source -> Data? in
            guard try source.read(.codable) else { return nil }
            return Data(try source.reader.readBytes())
        }
        guard let text else { return nil }
        do throws(CodableText.Failure) {
            return try CodableText.decode(Decoded.self, from: text)
        } catch {
            switch error {
            case .nestedTooDeep:
                throw failure(key, .malformed(reason: ValueError.nestedTooDeep.description))
            case .refused(let reason):
                throw failure(
                    key, .refused(type: String(describing: Decoded.self), reason: reason))
            }
        }
    }

    private func decodeStateValue(
        _ type: any StateValue.Type, forKey key: StaticString
    ) throws(StateDecodingError) -> Any? {
        func decode<Decoded: StateValue>(
            _ type: Decoded.Type
        ) throws(StateDecodingError) -> Any? {
            let value: Decoded? = try self.decode(type, forKey: key)
            return value
        }
        return try decode(type)
    }

    /// An optional that holds nil if nil was saved; nil if nothing was.
    private func decodeOptional(
        _ type: any OptionalValue.Type, forKey key: StaticString
    ) throws(StateDecodingError) -> Any? {
        if try isNull(key) { return type.none }
        guard let wrapped = type.wrappedType as? any Decodable.Type else { return nil }
        func decode<Decoded: Decodable>(
            _ type: Decoded.Type
        ) throws(StateDecodingError) -> Any? {
            let value: Decoded? = try self.decode(type, forKey: key)
            return value
        }
        return try decode(wrapped)
    }
}
