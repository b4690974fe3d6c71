import ExactText
import Varlink

extension InterfaceGenerator {
    /// Writes the client.
    func writeClient(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        let namePrefix = declarations.namePrefix
        let failureType = "CallFailure<\(refusalTypeName)>"
        code.writeLine()
        code.writeDocumentation("Client of the interface `\(definition.name)`.")
        code.writeBlock("\(accessModifier)struct \(namePrefix)Client: Sendable") { code in
            code.writeDocumentation("Connection over which the client makes its calls.")
            code.writeLine("\(accessModifier)let connection: VarlinkConnection")
            code.writeLine()
            code.writeDocumentation("Creates a client that makes its calls over a connection.")
            code.writeBlock("\(accessModifier)init(_ connection: VarlinkConnection)") {
                $0.writeLine("self.connection = connection")
            }
            for method in definition.methods {
                let documentation = DocumentationComment(method.documentation)
                let name = SwiftName.memberIdentifier(method.name)
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
        code.writeLine()
        code.writeDocumentation(
            DocumentationComment(method.documentation).text(or: "Calls `\(method.name)`."))
        code.writeBlock(
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
        code.writeLine()
        code.writeDocumentation(
            DocumentationComment(method.documentation).text(or: "Calls `\(method.name)`."))
        code.writeBlock(
            "\(accessModifier)func \(SwiftName.memberIdentifier(name))",
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
        if code.fits(singleLineText) { return code.writeLine(singleLineText) }
        let (firstLine, label) =
            head.hasSuffix("to: ") ? (String(head.dropLast(4)), "to: ") : (head, "")
        code.writeLine(firstLine)
        code.indent { $0.writeCall("\(label)\(callType)(", arguments, "))") }
    }
}
