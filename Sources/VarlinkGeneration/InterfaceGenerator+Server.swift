import ExactText
import Varlink

extension InterfaceGenerator {
    /// Writes the list of methods, and the protocol that a server implements.
    func writeMethods(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        let namePrefix = declarations.namePrefix
        code.writeLine()
        code.writeDocumentation("Method of the interface `\(definition.name)`.")
        code.writeBlock("\(accessModifier)enum \(namePrefix)Method: Int, Sendable, CaseIterable") {
            code in
            for method in definition.methods {
                if options.access == .public { code.writeDocumentation("Method `\(method.name)`.") }
                code.writeLine("case \(SwiftName.memberIdentifier(method.name))")
            }
        }
        code.writeLine()
        code.writeDocumentation(
            "Methods of the interface `\(definition.name)`, which a server implements.")
        code.writeBlock("\(accessModifier)protocol \(namePrefix)Methods: Sendable") { code in
            code.writeDocumentation(
                "Returns the names of the string parameters that identify the queue to which a method adds its work before\nit first suspends, or `nil` if it has no queue."
            )
            code.writeLine("static func queue(of method: \(namePrefix)Method) -> [String]?")
            for method in definition.methods {
                code.writeLine()
                code.writeDocumentation(
                    DocumentationComment(method.documentation).text(or: "Method `\(method.name)`."))
                let replyClause =
                    method.reply.isEmpty
                    ? ""
                    : " -> \(declarations.qualifiedName(declarations.callTypeName(method))).Reply"
                code.writeList(
                    "func \(SwiftName.memberIdentifier(method.name))(", serverParameters(method),
                    ") async throws\(replyClause)")
            }
        }
        code.writeLine()
        code.writeBlock("extension \(namePrefix)Methods") { code in
            code.writeDocumentation("Returns `nil`, because no method has a queue.")
            code.writeLine(
                "\(accessModifier)static func queue(of method: \(namePrefix)Method) -> [String]? { nil }"
            )
        }
    }

    private func serverParameters(_ method: MethodDefinition) -> [String] {
        let callType = declarations.qualifiedName(declarations.callTypeName(method))
        var parameters = method.parameters.isEmpty ? [] : ["_ call: \(callType)"]
        parameters.append("_ context: CallContext")
        switch DocumentationComment(method.documentation).replyMode {
        case .single: break
        case .supportsMore: parameters.append("_ replies: ReplySender<\(callType).Reply>?")
        case .requiresMore: parameters.append("_ replies: ReplySender<\(callType).Reply>")
        }
        return parameters
    }

    /// Writes the dispatcher, which decodes calls, passes them to a server, and encodes the replies.
    func writeDispatcher(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        let namePrefix = declarations.namePrefix
        code.writeLine()
        code.writeDocumentation(
            "Decodes calls of `\(definition.name)`, performs them, and encodes the replies.")
        code.writeBlock(
            "\(accessModifier)struct \(namePrefix)Dispatcher<Methods: \(namePrefix)Methods>: InterfaceDispatcher"
        ) { code in
            code.writeLine("private let methods: Methods")
            code.writeDocumentation("Definition of the interface.")
            code.writeLine("\(accessModifier)let definition: InterfaceDefinition")
            code.writeLine()
            code.writeDocumentation("Creates a dispatcher for the functions of a server.")
            code.writeLine("///")
            code.writeDocumentation(
                "- Throws: A syntax error, which indicates a programming error.")
            code.writeBlock(
                "\(accessModifier)init(_ methods: Methods) throws(InterfaceSyntaxError)"
            ) {
                code in
                code.writeLine("self.methods = methods")
                code.writeLine("definition = try \(namePrefix)Interface.definition()")
            }
            code.writeLine()
            code.writeDocumentation("Returns the properties of a method.")
            code.writeBlock("\(accessModifier)func traits(of method: Int) -> MethodTraits?") {
                code in
                writeTraits(to: &code)
            }
            code.writeLine()
            code.writeDocumentation("Performs a call.")
            code.writeBlock(
                "\(accessModifier)func answer(_ request: MethodRequest) async throws -> [UInt8]"
            ) { code in
                code.writeLine("switch \(namePrefix)Method(rawValue: request.method) {")
                for method in definition.methods { writeAnswer(to: method, &code) }
                code.writeLine("case nil: throw request.notImplemented")
                code.writeLine("}")
            }
        }
    }

    private func writeTraits(to code: inout CodeWriter) {
        let namePrefix = declarations.namePrefix
        code.writeLine(
            "guard let method = \(namePrefix)Method(rawValue: method) else { return nil }")
        let hasTraits = definition.methods.contains {
            let documentation = DocumentationComment($0.documentation)
            return documentation.isReadOnly || documentation.replyMode != .single
        }
        guard hasTraits else {
            return code.writeLine("return MethodTraits(queue: Methods.queue(of: method))")
        }
        code.writeLine("var traits = MethodTraits(queue: Methods.queue(of: method))")
        func writeTraitSwitch(_ property: String, _ isIncluded: (DocumentationComment) -> Bool) {
            let names = definition.methods.filter {
                isIncluded(DocumentationComment($0.documentation))
            }
            .map { ".\(SwiftName.memberIdentifier($0.name))" }
            if names.isEmpty { return }
            code.writeLine("switch method {")
            code.writeContinuedList("case ", names, ":")
            code.indent { $0.writeLine("traits.\(property) = true") }
            if names.count < definition.methods.count { code.writeLine("default: break") }
            code.writeLine("}")
        }
        writeTraitSwitch("isReadOnly", \.isReadOnly)
        writeTraitSwitch("isStreaming") { if case .single = $0.replyMode { false } else { true } }
        code.writeLine("return traits")
    }

    private func writeAnswer(to method: MethodDefinition, _ code: inout CodeWriter) {
        let functionName = "methods.\(SwiftName.memberIdentifier(method.name))"
        let callType = declarations.qualifiedName(declarations.callTypeName(method))
        var arguments = method.parameters.isEmpty ? [] : ["request.read()"]
        arguments.append("request.context")
        let documentation = DocumentationComment(method.documentation)
        switch documentation.replyMode {
        case .single: break
        case .supportsMore: arguments.append("request.replies()")
        case .requiresMore: arguments.append("request.requiredReplies()")
        }
        code.writeLine("case .\(SwiftName.memberIdentifier(method.name)):")
        code.indent { code in
            if method.parameters.isEmpty { code.writeLine("try request.check(\(callType).self)") }
            let joinedArguments = arguments.joined(separator: ", ")
            if method.reply.isEmpty {
                code.writeLine("try await \(functionName)(\(joinedArguments))")
                code.writeLine("return request.emptyReply")
                return
            }
            let singleLineText =
                "return try await request.reply(\(functionName)(\(joinedArguments)))"
            if code.fits(singleLineText) { return code.writeLine(singleLineText) }
            code.writeLine("return try await request.reply(")
            code.indent { $0.writeLine("\(functionName)(\(joinedArguments)))") }
        }
    }
}
