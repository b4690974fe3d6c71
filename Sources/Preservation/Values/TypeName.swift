/// Name of a type for messages.
struct TypeName: Sendable, Equatable {
    /// Name without the module and the types that contain the type, such as `Job`.
    let name: String
    /// Name with the types that contain the type, such as `Version1.Job`.
    let qualifiedName: String

    /// Creates the name of a type.
    init(_ type: Any.Type) {
        name = "\(type)"
        let parts = String(reflecting: type).split(separator: ".")
        // The name of a local or private type has a part such as `(unknown context at $1)`. The name of a generic type
        // also has the modules of its arguments.
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        qualifiedName =
            isPlain ? parts.dropFirst().filter { !$0.hasPrefix("(") }.joined(separator: ".") : name
    }

    /// Returns the shortest name that differs from another type's name.
    func text(besides other: TypeName) -> String { name == other.name ? qualifiedName : name }
}
