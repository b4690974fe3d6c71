import ExactText
import Varlink

extension InterfaceGenerator {
    private var errorName: String { "\(declarations.namePrefix)Error" }

    /// Name of the Swift type for the interface's errors.
    var refusalTypeName: String { definition.errors.isEmpty ? "NoError" : errorName }

    /// Writes the errors as one enumeration.
    func writeErrors(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        code.line()
        code.documentation("Error of the interface `\(definition.name)`.")
        code.block("\(accessModifier)enum \(errorName): InterfaceError, Equatable") { code in
            for error in definition.errors {
                code.documentation(
                    DocumentationComment(error.documentation).text(or: "Error `\(error.name)`."))
                let fields = payloadStructure(error).properties.map(\.qualifiedParameter)
                let name = "case \(SwiftName.lowercased(error.name))"
                if fields.isEmpty { code.line(name) } else { code.list("\(name)(", fields, ")") }
            }
        }
        writeConversions(to: &code)
        var payloads = CodeWriter(inBlockOf: code)
        for error in definition.errors where !error.parameters.isEmpty {
            write(payloadStructure(error), "JSONMessage", [], to: &payloads)
        }
        if definition.errors.allSatisfy(\.parameters.isEmpty) { return }
        code.line()
        code.documentation("Parameters of the errors.")
        code.block("extension \(errorName)") { $0.insert(payloads) }
    }

    private func payloadStructure(_ error: ErrorDefinition) -> Structure {
        declarations.structure(
            "\(error.name)Fields", error.parameters, "Parameters of `\(error.name)`.", nil,
            owner: "\(errorName).\(error.name)Fields", usesQualifiedNames: true)
    }

    private func writeConversions(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        code.line()
        code.block("extension \(errorName)") { code in
            code.list(
                "private static let names = JSONNames(",
                definition.errors.map { "\"\(definition.name).\($0.name)\"" }, ")")
            code.line()
            code.documentation(
                "Creates an error from the error in a reply, or returns `nil` if it is not an error of this interface."
            )
            code.block("\(accessModifier)init?(_ error: VarlinkError)") { code in
                let canFail = definition.errors.contains { !$0.parameters.isEmpty }
                guard canFail else { return writeReading(to: &code) }
                code.line("do throws(JSONReadingError) {")
                code.indent { writeReading(to: &$0) }
                code.line("} catch {")
                code.indent { $0.line("return nil") }
                code.line("}")
            }
            code.line()
            code.documentation("The error as a Varlink error.")
            code.block("\(accessModifier)var varlinkError: VarlinkError") { code in
                code.line("switch self {")
                for error in definition.errors { writeVarlinkErrorConversion(of: error, to: &code) }
                code.line("}")
            }
        }
    }

    private func writeReading(to code: inout CodeWriter) {
        code.line("switch Self.names.index(of: error.name) {")
        for (index, error) in definition.errors.enumerated() {
            writeReading(of: error, index, to: &code)
        }
        code.line("default: return nil")
        code.line("}")
    }

    private func writeReading(
        of error: ErrorDefinition, _ index: Int, to code: inout CodeWriter
    ) {
        let name = SwiftName.lowercased(error.name)
        let properties = payloadStructure(error).properties
        guard !properties.isEmpty else { return code.line("case \(index): self = .\(name)") }
        code.line("case \(index):")
        code.indent { code in
            code.line("let fields = try error.read(\(error.name)Fields.self)")
            code.call(
                "self = .\(name)(",
                properties.map { "\($0.label): fields.\($0.identifier)" }, ")")
        }
    }

    private func writeVarlinkErrorConversion(of error: ErrorDefinition, to code: inout CodeWriter) {
        let name = SwiftName.lowercased(error.name)
        let qualifiedNameLiteral = "\"\(definition.name).\(error.name)\""
        let properties = payloadStructure(error).properties
        guard !properties.isEmpty else {
            return code.case("case .\(name)", "VarlinkError(name: \(qualifiedNameLiteral))")
        }
        let bindings = properties.map { "let \(SwiftName.identifier($0.field.name))" }
        code.call("case .\(name)(", bindings, "):")
        code.indent { code in
            code.line("VarlinkError(")
            code.indent { code in
                code.line("name: \(qualifiedNameLiteral),")
                code.call(
                    "fields: \(error.name)Fields(",
                    properties.map(\.argument), "))")
            }
        }
    }
}
