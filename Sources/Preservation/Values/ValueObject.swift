import StateRestoration

/// Restorable object that represents a value, or an element of a collection, in a scene.
///
/// All values use this class, so that records do not depend on the names of the values' types.
final class ValueObject: DeclaredObject {
    /// Key of the value in the record.
    static let key: StaticString = "value"

    let restoration = RestorationNode()
    let content: any ValueContent
    let rank: Int

    init(_ content: any ValueContent, rank: Int) {
        self.content = content
        self.rank = rank
        restoration.invalidatesEveryChange = true
    }

    var typeName: String? { content.typeName }

    var migrationCounts: [MigrationCount] { content.migrationCounts }

    func encodeRestorableState(with coder: StateEncoder) throws {
        content.encode(with: coder)
        encodeTypeName(with: coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if case .some = typeName { _ = try coder.decode(String.self, forKey: Self.typeKey) }
        try content.decode(with: coder, rank: rank)
    }
}

/// Value that a ``ValueObject`` encodes and decodes.
protocol ValueContent: AnyObject {
    /// Name of the value's type, or `nil` if it is not recorded.
    var typeName: String? { get }
    /// Number of values that the launch converted with each migration.
    var migrationCounts: [MigrationCount] { get }
    /// Encodes the value.
    func encode(with coder: StateEncoder)
    /// Restores the value, unless it has already been restored from an identifier with a lower rank.
    func decode(with coder: StateDecoder, rank: Int) throws
}

extension ValueContent {
    var typeName: String? { nil }
    var migrationCounts: [MigrationCount] { [] }
}
