/// The keys that belong to the library: those that begin with `@`.
enum ReservedKey {
    /// Whether a key is one of them.
    static func isReserved(_ key: StaticString) -> Bool {
        guard key.hasPointerRepresentation else { return key.unicodeScalar == "@" }
        return key.utf8CodeUnitCount > 0 && key.utf8Start.pointee == UInt8(ascii: "@")
    }
}

extension StateEncoder {
    /// Stores one of the library's own values.
    func encodeReserved(_ value: some StateValue, forKey key: StaticString) {
        guard var target = beginReservedValue(key) else { return }
        value.write(to: &target)
        endValue(target, key)
    }
}
