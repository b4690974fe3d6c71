import ExactText
import Varlink

extension InterfaceGenerator {
    private var errorTypeName: String { "\(declarations.namePrefix)Error" }

    /// Name of the Swift type for the interface's errors.
    var refusalTypeName: String { definition.errors.isEmpty ? "NoError" : errorTypeName }

    /// Writes the errors as one enumeration.
    func writeErrors(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        code.writeLine()
        code.writeDocumentation("Error of the interface `\(definition.name)`.")
        code.writeBlock("\(accessModifier)enum \(errorTypeName): InterfaceError, Equatable") {
            code in
            for error in definition.errors {
                code.writeDocumentation(
                    DocumentationComment(error.documentation).text(or: "Error `\(error.name)`."))
                let fields = payloadStructure(error).properties.map(\.qualifiedParameter)
                let name = "case \(SwiftName.memberIdentifier(error.name))"
                if fields.isEmpty {
                    code.writeLine(name)
                } else {
                    code.writeList("\(name)(", fields, ")")
                }
            }
        }
        writeConversions(to: &code)
        var payloads = CodeWriter(inBlockOf: code)
        for error in definition.errors where !error.parameters.isEmpty {
            write(payloadStructure(error), "JSONMessage", [], to: &payloads)
        }
        if definition.errors.allSatisfy(\.parameters.isEmpty) { return }
        code.writeLine()
        code.writeDocumentation("Parameters of the errors.")
        code.writeBlock("extension \(errorTypeName)") { $0.insert(payloads) }
    }

    private func payloadStructure(_ error: ErrorDefinition) -> Structure {
        declarations.structure(
            "\(error.name)Fields", error.parameters, "Parameters of `\(error.name)`.", nil,
            qualifiedTypeName: "\(errorTypeName).\(error.name)Fields", usesQualifiedNames: true
        )
    }

    private func writeConversions(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        code.writeLine()
        code.writeBlock("extension \(errorTypeName)") { code in
            code.writeList(
                "private static let names = JSONNames(",
                definition.errors.map { "\"\(definition.name).\($0.name)\"" }, ")")
            code.writeLine()
            code.writeDocumentation(
                "Creates an error from the error in a reply, or returns `nil` if it is not an error of this interface."
            )
            code.writeBlock("\(accessModifier)init?(_ error: VarlinkError)") { code in
                let canFail = definition.errors.contains { !$0.parameters.isEmpty }
                guard canFail else { return writeReading(to: &code) }
                code.writeLine("do throws(JSONReadingError) {")
                code.indent { writeReading(to: &$0) }
                code.writeLine("} catch {")
                code.indent { $0.writeLine("return nil") }
                code.writeLine("}")
            }
            code.writeLine()
            code.writeDocumentation("The error as a Varlink error.")
            code.writeBlock("\(accessModifier)var varlinkError: VarlinkError") { code in
                code.writeLine("switch self {")
                for error in definition.errors { writeVarlinkErrorConversion(of: error, to: &code) }
                code.writeLine("}")
            }
        }
    }

    private func writeReading(to code: inout CodeWriter) {
        code.writeLine("switch Self.names.index(of: error.name) {")
        for (index, error) in definition.errors.enumerated() {
            writeReading(of: error, index, to: &code)
        }
        code.writeLine("default: return nil")
        code.writeLine("}")
    }

    private func writeReading(
        of error: ErrorDefinition, _ index: Int, to code: inout CodeWriter
    ) {
        let name = SwiftName.memberIdentifier(error.name)
        let properties = payloadStructure(error).properties
        guard !properties.isEmpty else { return code.writeLine("case \(index): self = .\(name)") }
        code.writeLine("case \(index):")
        code.indent { code in
            code.writeLine("let fields = try error.read(\(error.name)Fields.self)")
            code.writeCall(
                "self = .\(name)(",
                properties.map { "\($0.label): fields.\($0.identifier)" }, ")")
        }
    }

    private func writeVarlinkErrorConversion(of error: ErrorDefinition, to code: inout CodeWriter) {
        let name = SwiftName.memberIdentifier(error.name)
        let qualifiedNameLiteral = "\"\(definition.name).\(error.name)\""
        let properties = payloadStructure(error).properties
        guard !properties.isEmpty else {
            return code.writeCase("case .\(name)", "VarlinkError(name: \(qualifiedNameLiteral))")
        }
        let bindings = properties.map { "let \(SwiftName.identifier($0.field.name))" }
        code.writeCall("case .\(name)(", bindings, "):")
        code.indent { code in
            code.writeLine("VarlinkError(")
            code.indent { code in
                code.writeLine("name: \(qualifiedNameLiteral),")
                code.writeCall(
                    "fields: \(error.name)Fields(",
                    properties.map(\.argument), "))")
            }
        }
    }
}
