import StateRestoration

/// Restorable object that represents an element of a collection.
final class StoredElement<Element: Codable & Identifiable & Sendable>: ValueObject
where Element.ID: CustomStringConvertible & Sendable {
    static var positionKey: StaticString { "place" }

    private unowned let table: ElementTable<Element>
    /// The element, or `nil` if it was removed or could not be decoded.
    var element: Element?
    /// Position of the element. Elements are sorted by position.
    var position = 0
    /// Whether the update in progress has changed the element.
    var isEdited = false
    /// Rank of the collection identifier from which the element was restored.
    var restoredRank = Int32.max

    /// Creates an object without an element.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the element's record.
    ///   - table: The table that contains the object.
    ///   - identifierRank: The rank of the collection identifier under which the element is saved.
    init(
        _ identifier: RestorationIdentifier, in table: ElementTable<Element>,
        identifierRank: Int = 0
    ) {
        self.table = table
        super.init(identifierRank: identifierRank)
        restoration.identifier = identifier
    }

    /// Identifier of the element's record.
    var identifier: RestorationIdentifier {
        guard let identifier = restoration.identifier else {
            preconditionFailure("an element has no identifier")
        }
        return identifier
    }

    override func encodeValue(with coder: StateEncoder) {
        guard let element else { return }
        coder.encode(element, forKey: ValueObject.valueKey)
        coder.encode(position, forKey: Self.positionKey)
    }

    override func decodeValue(with coder: StateDecoder) throws {
        try table.restore(self, from: coder, identifierRank: Int32(clamping: identifierRank))
    }
}

extension StoredElement: Hashable {
    static func == (left: StoredElement, right: StoredElement) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RestorationIdentifier {
    /// Creates the identifier of the record for an element in a collection.
    ///
    /// The identifier is the `id` converted to text. Each byte of a character that is not allowed in identifiers is
    /// replaced by `%` and two hexadecimal digits.
    ///
    /// - Throws: ``RestorableValueError`` if the identifier would be empty or too long.
    init(element id: some CustomStringConvertible) throws(RestorableValueError) {
        let idText = id.description
        let isAllowedUnescaped = idText.utf8.allSatisfy(Self.isAllowedUnescaped)
        if isAllowedUnescaped, (1...255).contains(idText.utf8.count) {
            self.init(recorded: idText)
            return
        }
        do throws(RestorationIdentifierError) {
            self = try RestorationIdentifier(
                validating: isAllowedUnescaped ? idText : Self.escapedText(idText))
        } catch {
            throw RestorableValueError(
                .invalidIdentifier, idText,
                """
                An element cannot have the id "\(String(idText.unicodeScalars.prefix(32)).escapingControlCharacters)"\
                \(idText.unicodeScalars.count > 32 ? " (shortened)" : ""): use an id whose description has 1 to 255 bytes. \
                Each byte of a control character or of "%", "/", "@" or "~" counts as three.
                """)
        }
    }

    /// Returns whether an identifier can contain the given byte unescaped.
    private static func isAllowedUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x7E: !"%/@~".utf8.contains(byte)
        default: false
        }
    }

    private static func escapedText(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory != .control,
                !"%/@~".unicodeScalars.contains(scalar)
            {
                result.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
