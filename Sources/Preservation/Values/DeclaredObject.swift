import StateRestoration

/// Restorable object that represents a declared value or collection in a scene.
protocol DeclaredObject: StateRestoring {
    /// Rank of the object's identifier among the value's identifiers. The current identifier has rank 0.
    var identifierRank: Int { get }
    /// Type name of the value or of the collection's elements, or `nil` if the value has been removed.
    var typeName: TypeName? { get }
    /// Number of values that the launch converted with each migration.
    var migrationCounts: [MigrationCount] { get }
}

extension DeclaredObject {
    /// Key of the type name in the record. The type name appears in the error for a saved value that is not declared.
    static var typeKey: StaticString { "type" }

    /// Encodes the name of the type, unless the value has been removed.
    func encodeTypeName(with coder: StateEncoder) {
        if let typeName { coder.encode(typeName.name, forKey: Self.typeKey) }
    }
}
