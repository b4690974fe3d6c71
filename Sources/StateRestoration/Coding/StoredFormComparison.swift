/// Returns whether two equal values are stored as the same bytes.
///
/// Values that compare as equal can be stored as different bytes. Examples are 0.0 and -0.0, or the string `é` as one
/// Unicode scalar and as two.
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

/// Returns the stored form of a value, or `nil` if the value is nested too deeply to be stored.
private func bytes(of value: any StateValue) -> [UInt8]? {
    var target = StateValueWriter()
    value.write(to: &target)
    return target.isTooDeep ? nil : target.writer.bytes
}
