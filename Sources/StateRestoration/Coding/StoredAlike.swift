/// Whether two values that are equal are stored as the same bytes. Two spellings of a text are equal (`é` as one scalar
/// and as two), and so are 0.0 and -0.0.
@usableFromInline
func isStoredAlike<Value>(_ value: Value, _ other: Value) -> Bool {
    switch value {
    case is any FixedWidthInteger, is Bool, is any NeverSaved: return true
    default: break
    }
    guard let bytes = storedBytes(of: value) else { return false }
    return bytes == storedBytes(of: other)
}

/// The bytes that a value is stored as; `nil` if it cannot be stored.
private func storedBytes<Value>(of value: Value) -> [UInt8]? {
    if (value as? any OptionalValue)?.isNil == true { return [] }
    if let value = value as? any StateValue {
        var target = StateValueWriter()
        value.write(to: &target)
        return target.isTooDeep ? nil : target.writer.bytes
    }
    guard let value = value as? any Encodable else { return nil }
    do throws(CodableText.Failure) {
        return Array(try CodableText.encode(value))
    } catch {
        return nil
    }
}
