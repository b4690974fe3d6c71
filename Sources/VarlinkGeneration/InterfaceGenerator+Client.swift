import ExactText
import Varlink

extension InterfaceGenerator {
    /// Writes the client.
    func writeClient(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        let namePrefix = declarations.namePrefix
        let failureType = "CallFailure<\(refusalTypeName)>"
        code.line()
        code.documentation("Client of the interface `\(definition.name)`.")
        code.block("\(accessModifier)struct \(namePrefix)Client: Sendable") { code in
            code.documentation("Connection over which the client makes its calls.")
            code.line("\(accessModifier)let connection: VarlinkConnection")
            code.line()
            code.documentation("Creates a client that makes its calls over a connection.")
            code.block("\(accessModifier)init(_ connection: VarlinkConnection)") {
                $0.line("self.connection = connection")
            }
            for method in definition.methods {
                let documentation = DocumentationComment(method.documentation)
                let name = SwiftName.lowercased(method.name)
                if documentation.replyMode != .requiresMore {
                    writeCall(method, name, failureType, to: &code)
                }
                switch documentation.replyMode {
                case .single: break
                case .supportsMore: writeStream(method, "\(method.name)Replies", to: &code)
                case .requiresMore: writeStream(method, method.name, to: &code)
                }
            }
        }
    }

    private func writeCall(
        _ method: MethodDefinition, _ name: String, _ failureType: String, to code: inout CodeWriter
    ) {
        let callType = declarations.qualifiedName(declarations.callTypeName(method))
        let properties = callStructure(of: method).properties
        let replyClause = method.reply.isEmpty ? "" : " -> \(callType).Reply"
        code.line()
        code.documentation(
            DocumentationComment(method.documentation).text(or: "Calls `\(method.name)`."))
        code.block(
            "\(accessModifier)func \(name)", properties.map(\.qualifiedParameter),
            " async throws(\(failureType))\(replyClause)"
        ) { code in
            write(
                "\(method.reply.isEmpty ? "_ = " : "")try await \(connectionExpression(properties)).call(",
                callType, properties, to: &code)
        }
    }

    private func writeStream(
        _ method: MethodDefinition, _ name: String, to code: inout CodeWriter
    ) {
        let callType = declarations.qualifiedName(declarations.callTypeName(method))
        let properties = callStructure(of: method).properties
        code.line()
        code.documentation(
            DocumentationComment(method.documentation).text(or: "Calls `\(method.name)`."))
        code.block(
            "\(accessModifier)func \(SwiftName.lowercased(name))",
            properties.map(\.qualifiedParameter), " -> Replies<\(callType)>"
        ) { code in
            write(
                "\(connectionExpression(properties)).replies(to: ", callType, properties, to: &code)
        }
    }

    /// Returns the expression for the client's connection, with `self` if a parameter is named `connection`.
    private func connectionExpression(_ properties: [Property]) -> String {
        properties.contains { $0.identifier == "connection" } ? "self.connection" : "connection"
    }

    /// Writes a function call whose argument creates the structure for a method call.
    private func write(
        _ head: String, _ callType: String, _ properties: [Property], to code: inout CodeWriter
    ) {
        let arguments = properties.map(\.argument)
        let singleLineText = "\(head)\(callType)(\(arguments.joined(separator: ", "))))"
        if code.fits(singleLineText) { return code.line(singleLineText) }
        let (first, label) =
            head.hasSuffix("to: ") ? (String(head.dropLast(4)), "to: ") : (head, "")
        code.line(first)
        code.indent { $0.call("\(label)\(callType)(", arguments, "))") }
    }
}
