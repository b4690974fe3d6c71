/// The keys under which a scene's record keeps the reserved values (P4).
enum ReservedKey {
    static let bundleVersion: StaticString = "@bundleVersion"
    static let systemVersion: StaticString = "@systemVersion"
    static let interfaceIdiom: StaticString = "@interfaceIdiom"

    /// Whether a key belongs to the library: it begins with `@`.
    static func isReserved(_ key: StaticString) -> Bool {
        guard key.hasPointerRepresentation else { return key.unicodeScalar == "@" }
        return key.utf8CodeUnitCount > 0 && key.utf8Start.pointee == UInt8(ascii: "@")
    }
}

extension StateEncoder {
    /// Stores the reserved values of the pass (P4).
    func encodeReservedValues() {
        encodeReserved(stamp.bundleVersion, ReservedKey.bundleVersion)
        encodeReserved(stamp.systemVersion, ReservedKey.systemVersion)
        encodeReserved(stamp.interfaceIdiom, ReservedKey.interfaceIdiom)
    }

    private func encodeReserved(_ value: String, _ key: StaticString) {
        guard var target = beginReservedValue(key) else { return }
        value.write(to: &target)
        endValue(target, key)
    }
}
