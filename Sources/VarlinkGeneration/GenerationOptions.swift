import ExactText

/// Options for the code that is generated from an interface definition.
package struct GenerationOptions: Sendable {
    /// Access level of the generated declarations.
    package enum Access: String, Sendable, CaseIterable {
        /// Visible only in the module.
        case `internal`
        /// Visible only in the package.
        case package
        /// Visible in every module.
        case `public`
    }

    /// Handwritten protocol to which generated structures with certain fields conform.
    package struct Conformance: Sendable {
        /// Kind of structure that may conform.
        package enum Kind: Sendable {
            /// Method parameters.
            case calls
            /// Replies to calls, and named types.
            case values
        }

        /// Kind of structure that may conform.
        package let kind: Kind
        /// Name of the protocol.
        package let name: String
        /// Names of the fields that a structure must have, with the type of each field in Varlink notation, such as
        /// `?string`.
        package let fields: [String: String]

        /// Creates a conformance from an option such as `SceneCall=application:?string,scene:?string`, or returns `nil`
        /// if the option has a different format.
        package init?(_ kind: Kind, parsing option: String) {
            let parts = option.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            var fields: [String: String] = [:]
            for field in parts[1].split(separator: ",") {
                let nameAndType = field.split(separator: ":", maxSplits: 1)
                guard nameAndType.count == 2 else { return nil }
                fields[String(nameAndType[0])] = String(nameAndType[1])
            }
            self.kind = kind
            name = String(parts[0])
            self.fields = fields
        }
    }

    /// Access level of the generated declarations.
    package var access = Access.public

    /// Prefix for the names of the client, the protocol and the other declarations, or `nil` to use the last part of
    /// the interface's name.
    package var namePrefix: String?

    /// Whether types are declared outside the enumeration that represents the interface.
    package var declaresTypesAtTopLevel = false

    /// Swift type that represents the Varlink type `object`. It conforms to `JSONReadable` and `JSONWritable`.
    ///
    /// If one of the ``imports`` declares the type, the name includes the module, as in `Module.Value`.
    package var objectType = "RawJSON"

    /// Modules that the generated file imports in addition to `Varlink`.
    package var imports: [String] = []

    /// Swift names of renamed types, keyed by the name in the definition.
    package var typeNames: [String: String] = [:]

    /// Handwritten protocols to which structures conform.
    package var conformances: [Conformance] = []

    /// Creates the default options.
    package init() {}
}

/// Error thrown if no code can be generated from a definition.
package enum GenerationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A structure directly contains itself, without a nullable field, an array or a map. Such a type has no values.
    case infinitelyRecursive(type: String)
    /// Two declarations would have the same name.
    case repeated(name: String)
    /// An option names a type that the definition does not declare.
    case unknownType(name: String)
    /// The definition contains carriage returns, which would end lines in the generated code.
    case carriageReturn

    /// Sentence that states the problem and what to do.
    package var description: String {
        switch self {
        case .infinitelyRecursive(let type):
            "The type \(type) contains itself, so it can have no value; make one of its fields nullable."
        case .repeated(let name):
            "Two declarations would be named \(name); give one of them another name with --rename."
        case .unknownType(let name):
            "The definition has no type \(name); correct the option --rename."
        case .carriageReturn:
            "The definition contains carriage returns; convert its line endings to line feeds."
        }
    }
}
