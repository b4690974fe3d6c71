/// Returns whether two equal values are stored as the same bytes.
///
/// Equal values can have different bytes. Examples are 0.0 and -0.0, and the string `é` as one scalar and as two
/// scalars.
@usableFromInline
func haveEqualStoredForms<Value: Encodable>(_ value: Value, _ other: Value) -> Bool {
    if value is any FixedWidthInteger || value is Bool { return true }
    do throws(CodableJSON.Failure) {
        switch (try StoredForm(of: value), try StoredForm(of: other)) {
        case (.nothing, .nothing): return true
        case (.value(let value), .value(let other)):
            return bytes(of: value).map { $0 == bytes(of: other) } ?? false
        case (.json(let value), .json(let other)): return value == other
        default: return false
        }
    } catch {
        return false
    }
}

/// Returns the bytes of a value, or `nil` if it is nested too deeply to be stored.
private func bytes(of value: any StateValue) -> [UInt8]? {
    var target = StateValueWriter()
    value.write(to: &target)
    return target.isTooDeep ? nil : target.writer.bytes
}
