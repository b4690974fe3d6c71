import Glibc

// These declarations shadow the standard library's operators and methods in each file that imports this module.

extension String {
    /// Returns whether two strings have the same UTF-8 bytes.
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

    /// Returns whether two strings have different UTF-8 bytes.
    @inlinable package static func != (left: String, right: String) -> Bool { !(left == right) }

    /// Returns whether one string precedes another in the order of their UTF-8 bytes.
    ///
    /// This order is the same as the order of their Unicode scalars.
    @inlinable package static func < (left: String, right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Returns whether a string has the same UTF-8 bytes as a pattern.
    @inlinable package static func ~= (pattern: String, text: String) -> Bool { pattern == text }
}

extension Optional where Wrapped == String {
    /// Returns whether two optional strings are both `nil` or have the same UTF-8 bytes.
    @inlinable package static func == (left: String?, right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    /// Returns whether two optional strings have different UTF-8 bytes, or whether only one of them is `nil`.
    @inlinable package static func != (left: String?, right: String?) -> Bool { !(left == right) }
}

extension Sequence where Element == String {
    /// Returns whether the sequence contains a string with the same UTF-8 bytes as the given string.
    @inlinable package func contains(_ text: String) -> Bool { contains { $0 == text } }

    /// Returns the strings sorted by UTF-8 bytes.
    @inlinable package func sorted() -> [String] { sorted { $0 < $1 } }
}

extension Set where Element == String {
    /// Returns whether the set contains a string with the same UTF-8 bytes as the given string.
    ///
    /// - Complexity: O(1) on average.
    @inlinable package func contains(_ text: String) -> Bool {
        guard let standardLibraryFirstIndex = standardLibraryFirstIndex(of: text) else {
            return false
        }
        return self[standardLibraryFirstIndex] == text
    }
}

extension Set {
    /// Calls the standard library's `firstIndex(of:)`, which this module shadows for collections of strings.
    @inlinable package func standardLibraryFirstIndex(of element: Element) -> Index? {
        firstIndex(of: element)
    }
}

extension Collection where Element == String {
    /// Returns the index of the first string with the same UTF-8 bytes as the given string, or `nil` if there is none.
    @inlinable package func firstIndex(of text: String) -> Index? { firstIndex { $0 == text } }
}

extension Array where Element == String {
    /// Returns whether two arrays contain strings with the same UTF-8 bytes, in the same order.
    @inlinable package static func == (left: [String], right: [String]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
    }

    /// Returns whether two arrays differ in length or in the UTF-8 bytes of any string.
    @inlinable package static func != (left: [String], right: [String]) -> Bool { !(left == right) }
}

extension Optional where Wrapped == [String] {
    /// Returns whether two optional arrays are both `nil` or contain strings with the same UTF-8 bytes in the same
    /// order.
    @inlinable package static func == (left: [String]?, right: [String]?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left == right
        case (nil, _?), (_?, nil): false
        }
    }

    /// Returns whether two optional arrays differ in length or in the UTF-8 bytes of any string, or whether only one of
    /// them is `nil`.
    @inlinable package static func != (left: [String]?, right: [String]?) -> Bool {
        !(left == right)
    }
}

/// Returns whether two values are equal, comparing strings by their UTF-8 bytes.
///
/// - Parameters:
///   - left: A string, an optional string, an array of strings, or a value whose type compares its strings exactly.
///   - right: The value to compare with `left`.
@inlinable package func areExactlyEqual<Value: Equatable>(
    _ left: Value, _ right: Value
) -> Bool {
    if let left = left as? String, let right = right as? String { return left == right }
    if let left = left as? [String], let right = right as? [String] { return left == right }
    return left == right
}

extension String {
    /// Returns the parts of the string between separators, including empty parts.
    ///
    /// The string is also split at a separator that is followed by a combining mark, although Swift treats the two as
    /// one character.
    ///
    /// - Parameter separator: An ASCII character.
    @inlinable package func parts(separatedBy separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }
}
