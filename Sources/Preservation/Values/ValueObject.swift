import StateRestoration

/// Restorable object that represents a value, or an element of a collection, in a scene.
///
/// Subclasses store values and elements. An instance of this class represents a removed value, or an element of a
/// removed collection, and is not restored.
class ValueObject: DeclaredObject {
    /// Key of the value in the record.
    static let valueKey: StaticString = "value"

    let restoration = RestorationNode()
    let identifierRank: Int

    init(identifierRank: Int) {
        self.identifierRank = identifierRank
        restoration.invalidatesEveryChange = true
    }

    /// Name of the value's type, or `nil` if it is not recorded.
    var typeName: TypeName? { nil }

    /// Number of values that the launch converted with each migration.
    var migrationCounts: [MigrationCount] { [] }

    /// Encodes the value.
    func encodeValue(with coder: StateEncoder) {}

    /// Restores the value, unless it has already been restored from an identifier with a lower rank.
    func decodeValue(with coder: StateDecoder) throws {}

    func encodeRestorableState(with coder: StateEncoder) throws {
        encodeValue(with: coder)
        encodeTypeName(with: coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if case .some = typeName { _ = try coder.decode(String.self, forKey: Self.typeKey) }
        try decodeValue(with: coder)
    }
}

extension ValueObject: RecordedAsSuperclass {
    static var recordedClass: any StateRestoring.Type { ValueObject.self }
}
