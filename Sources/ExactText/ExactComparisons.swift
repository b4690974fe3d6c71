import Glibc

// These declarations replace those of the standard library in each file that imports this module.

extension String {
    /// Whether two texts have the same UTF-8 bytes.
    @usableFromInline package static func == (left: String, right: String) -> Bool {
        let (left, right) = (left.utf8, right.utf8)
        let count = left.count
        guard count == right.count else { return false }
        let isEqual = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                count == 0 || memcmp(left.baseAddress!, right.baseAddress!, count) == 0
            }
        }
        return (isEqual ?? nil) ?? left.elementsEqual(right)
    }

    /// Whether two texts have other UTF-8 bytes.
    @inlinable package static func != (left: String, right: String) -> Bool { !(left == right) }

    /// Whether a text comes before another in the order of their UTF-8 bytes, which is that of their scalars.
    @inlinable package static func < (left: String, right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Whether a text has the UTF-8 bytes of a pattern.
    @inlinable package static func ~= (pattern: String, text: String) -> Bool { pattern == text }
}

extension Optional where Wrapped == String {
    /// Whether both are `nil`, or have the same UTF-8 bytes.
    @inlinable package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    /// Whether one is `nil`, or they have other UTF-8 bytes.
    @inlinable package static func != (left: String?, right: String?) -> Bool { !(left == right) }
}

extension Sequence where Element == String {
    /// Whether a text with the same UTF-8 bytes is among them.
    @inlinable package func contains(_ text: String) -> Bool { contains { $0 == text } }

    /// The texts in the order of their UTF-8 bytes.
    @inlinable package func sorted() -> [String] { sorted { $0 < $1 } }
}

extension Set where Element == String {
    /// Whether a text with the same UTF-8 bytes is in the set. The time does not depend on the size of the set.
    @inlinable package func contains(_ text: String) -> Bool {
        guard let place = place(of: text) else { return false }
        return self[place] == text
    }
}

extension Set {
    /// Calls `firstIndex(of:)` of the standard library, which this module replaces for texts.
    @inlinable package func place(of element: Element) -> Index? { firstIndex(of: element) }
}

extension Collection where Element == String {
    /// The place of the first text with the same UTF-8 bytes.
    @inlinable package func firstIndex(of text: String) -> Index? { firstIndex { $0 == text } }
}

extension Array where Element == String {
    /// Whether two lists have texts with the same UTF-8 bytes, in the same order.
    @inlinable package static func == (left: [String], right: [String]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
    }

    /// Whether two lists differ in the UTF-8 bytes of a text.
    @inlinable package static func != (left: [String], right: [String]) -> Bool { !(left == right) }
}

extension Optional where Wrapped == [String] {
    /// Whether both are `nil`, or have texts with the same UTF-8 bytes, in the same order.
    @inlinable package static func == (left: [String]?, right: [String]?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    /// Whether one is `nil`, or they differ in the UTF-8 bytes of a text.
    @inlinable package static func != (left: [String]?, right: [String]?) -> Bool {
        !(left == right)
    }
}

/// Compares two values, texts by their UTF-8 bytes.
///
/// - Parameters:
///   - left: A text, an optional text, a list of texts, or a value whose type compares its texts exactly.
///   - right: Another value.
@inlinable package func areExactlyEqual<Value: Equatable>(
    _ left: Value, _ right: Value
) -> Bool {
    if let left = left as? String, let right = right as? String { return left == right }
    if let left = left as? [String], let right = right as? [String] { return left == right }
    return left == right
}

extension String {
    /// The parts between the separators, empty ones too. A separator counts whatever follows it: a combining mark
    /// behind it makes no other character of it.
    ///
    /// - Parameter separator: An ASCII character.
    @inlinable package func parts(separatedBy separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }
}
