import StateRestoration

/// Restorable object that represents a declared value or collection in a scene.
protocol DeclaredObject: StateRestoring {
    /// Rank of the object's identifier among the value's identifiers. The current identifier has rank 0.
    var rank: Int { get }
    /// Type name of the value or of the collection's elements, or `nil` if the value has been removed.
    var typeName: String? { get }
    /// Number of values that the launch converted with each migration.
    var migrationCounts: [MigrationCount] { get }
}

extension DeclaredObject {
    /// Key of the type name in the record. The error for an undeclared saved value contains this name.
    static var typeKey: StaticString { "type" }

    /// Encodes the name of the type, unless the value has been removed.
    func encodeTypeName(with coder: StateEncoder) {
        if let typeName { coder.encode(typeName, forKey: Self.typeKey) }
    }
}
