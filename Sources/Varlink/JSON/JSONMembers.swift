import Glibc

/// Names of a structure's members or an enumeration's cases, each identified by its index.
public struct JSONNames: Sendable {
    private let names: [StaticString]
    /// Indexes of the members that must be present.
    let requiredIndexes: [Int]

    /// Creates a list of names.
    /// - Parameters:
    ///   - names: The names. Reading a structure is fastest if its members arrive in this order.
    ///   - required: The indexes of the members that must be present. If several members are missing, the error names
    ///     the first one.
    public init(_ names: StaticString..., required: [Int] = []) {
        self.names = names
        requiredIndexes = required
    }

    var count: Int { names.count }

    /// Returns the index of a name, or `nil` if the list does not contain it.
    public func index(of name: String) -> Int? {
        names.firstIndex { entry in
            name.utf8.elementsEqual(
                UnsafeBufferPointer(start: entry.utf8Start, count: entry.utf8CodeUnitCount))
        }
    }

    subscript(index: Int) -> StaticString { names[index] }

    /// Returns the index of the name that equals the given bytes, or `nil` if the list contains no such name.
    /// - Parameter hint: Index of the name to compare first.
    func index(
        of range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>, hint: Int = 0
    ) -> Int? {
        if names.indices.contains(hint), matches(names[hint], range, bytes) { return hint }
        return names.firstIndex { matches($0, range, bytes) }
    }

    private func matches(
        _ name: StaticString, _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard name.utf8CodeUnitCount == range.count, let base = bytes.baseAddress else {
            return false
        }
        return memcmp(name.utf8Start, base + range.lowerBound, range.count) == 0
    }
}

/// Set of the members that have already been read from a structure.
public struct JSONMembers {
    let names: JSONNames
    /// Bits for the first 64 members. A member's bit is set once the member has been read.
    private var readMemberBits: UInt64 = 0
    /// Bits for the remaining members, 64 in each element.
    private var furtherReadMemberBits: [UInt64] = []
    /// Whether no member has been read yet. An ignored member counts as read.
    var isBeforeFirstMember = true
    /// Index of the name that the next member probably has. This name is compared first.
    var expectedIndex = 0

    init(_ names: JSONNames) {
        self.names = names
        if names.count > 64 {
            furtherReadMemberBits = Array(repeating: 0, count: (names.count - 1) / 64)
        }
    }

    /// Returns whether a member has been read.
    func contains(_ index: Int) -> Bool {
        index < 64
            ? readMemberBits & (1 << index) != 0
            : furtherReadMemberBits[index / 64 - 1] & (1 << (index % 64)) != 0
    }

    /// Marks a member as read.
    /// - Returns: `true` if the member had not been read before.
    mutating func insert(_ index: Int) -> Bool {
        defer {
            expectedIndex = index + 1
            if index < 64 {
                readMemberBits |= 1 << index
            } else {
                furtherReadMemberBits[index / 64 - 1] |= 1 << (index % 64)
            }
        }
        return !contains(index)
    }
}

extension JSONReader {
    /// Begins reading a structure.
    /// - Parameter names: The names of the structure's members.
    public mutating func beginStructure(
        _ names: JSONNames
    ) throws(JSONReadingError) -> JSONMembers {
        guard peek() == UInt8(ascii: "{") else { throw mismatchError }
        try enterContainer("{")
        return JSONMembers(names)
    }

    /// Reads the name of the next member in a structure. The caller must then read the member's value.
    /// - Returns: The index of the name, or `nil` at the end of the structure.
    /// - Throws: ``JSONReadingError/invalidParameter(_:)`` if the member is unknown or repeated, unless the reader
    ///   ignores such members.
    public mutating func nextMember(
        of members: inout JSONMembers
    ) throws(JSONReadingError) -> Int? {
        while try hasNextMember(isFirst: members.isBeforeFirstMember) {
            members.isBeforeFirstMember = false
            let name = try readMemberName()
            if let index = try index(of: name, in: members.names, expecting: members.expectedIndex)
            {
                guard members.insert(index) || !isStrict else { throw mismatchError }
                return index
            }
            if isStrict { throw mismatchError }
            _ = try skipValue()
        }
        return nil
    }

    /// Finishes reading a structure, and checks that it contained every required member.
    public func endStructure(_ members: JSONMembers) throws(JSONReadingError) {
        for index in members.names.requiredIndexes where !members.contains(index) {
            guard depth == 0 else { throw mismatchError }
            throw .invalidParameter("\(members.names[index])")
        }
    }

    /// Reads a string that must be one of the given names, and returns the index of the name.
    public mutating func name(_ names: JSONNames) throws(JSONReadingError) -> Int {
        guard peek() == UInt8(ascii: "\"") else { throw mismatchError }
        guard let index = try index(of: readStringContent(), in: names) else { throw mismatchError }
        return index
    }

    /// Returns the index of the name that equals a string, or `nil` if the list contains no such name.
    /// - Parameter hint: Index of the name to compare first.
    func index(
        of content: JSONStringContent, in names: JSONNames, expecting hint: Int = 0
    ) throws(JSONReadingError) -> Int? {
        let index = bytes.withUnsafeBufferPointer {
            names.index(of: content.range, in: $0, hint: hint)
        }
        if index != nil || !content.isEscaped { return index }
        let text = Array(try unescapedString(content.range).utf8)
        return text.withUnsafeBufferPointer { names.index(of: text.indices, in: $0) }
    }

    /// Returns the string at an offset, skipping any white space before it.
    func text(at offset: Int) throws(JSONReadingError) -> String {
        var reader = self
        reader.offset = offset
        reader.skipSpace()
        return try reader.readString()
    }

    /// Returns whether an object has another member. Also consumes the comma before the member, or the closing brace.
    mutating func hasNextMember(isFirst: Bool) throws(JSONReadingError) -> Bool {
        if consume("}") {
            depth -= 1
            return false
        }
        if !isFirst { guard consume(",") else { throw malformedError } }
        return true
    }

    /// Reads an object up to the given member. Returns the byte range of the member's value, or `nil` if the object has
    /// no such member.
    mutating func valueRange(of member: String) throws(JSONReadingError) -> Range<Int>? {
        try beginMap()
        var isFirst = true
        while try hasNextMember(isFirst: isFirst) {
            isFirst = false
            let name = try readMemberName()
            let isNameEqual =
                try name.isEscaped
                ? unescapedString(name.range).utf8.elementsEqual(member.utf8)
                : bytes[name.range].elementsEqual(member.utf8)
            let valueRange = try skipValue()
            if isNameEqual { return valueRange }
        }
        return nil
    }

    /// Consumes a member's name and the colon after it.
    mutating func readMemberName() throws(JSONReadingError) -> JSONStringContent {
        skipSpace()
        if depth == 1 { outermostNameOffset = offset }
        let name = try readStringContent()
        // Even the name of an ignored member must be valid UTF-8. A name with escape sequences is checked when it is
        // compared.
        if !name.isEscaped, !name.isASCII { _ = try validatedString(name) }
        guard consume(":") else { throw malformedError }
        return name
    }

    /// Error for a value that does not match the expected type. The error names the outermost object's member that
    /// contains the value.
    package var mismatchError: JSONReadingError {
        guard let outermostNameOffset else { return .invalidParameter("") }
        do throws(JSONReadingError) {
            return .invalidParameter(try text(at: outermostNameOffset))
        } catch {
            return error
        }
    }
}
