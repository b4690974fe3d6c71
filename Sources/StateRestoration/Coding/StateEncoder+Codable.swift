extension StateEncoder {
    /// Stores any `Codable` value under a key, or nothing if it is nil.
    ///
    /// A value of a type that a coder takes as it is (``StateValue``) is stored as such, every other
    /// one as JSON. One that throws is left out and reported (P9).
    public func encode(_ value: some Encodable, forKey key: StaticString) {
        if value is any NeverSaved || (value as? any OptionalValue)?.isNil == true { return }
        if let value = value as? any StateValue { return encode(value, forKey: key) }
        do throws(CodableText.Failure) {
            let text = try CodableText.encode(value)
            store(key) { target in
                target.writer.write(.codable)
                target.writer.writeBytes(text)
            }
        } catch {
            switch error {
            case .nestedTooDeep: report(.nestedTooDeep, key)
            case .refused(let reason): report(.codable(reason: reason), key)
            }
        }
    }

    /// Stores nothing: a sensitive value is never saved (P15).
    public func encode<Value>(_ value: Sensitive<Value>, forKey key: StaticString) {}

    /// Stores that a value is nil, for what has to tell it from one that was never saved.
    @usableFromInline
    func encodeNull(forKey key: StaticString) {
        store(key) { $0.writer.write(.null) }
    }
}

/// What `Optional` is recognised by, whatever is in it.
protocol OptionalValue {
    var isNil: Bool { get }
    static var wrappedType: Any.Type { get }
    static var none: Self { get }
}

extension Optional: OptionalValue {
    var isNil: Bool { self == nil }
    static var wrappedType: Any.Type { Wrapped.self }
}
