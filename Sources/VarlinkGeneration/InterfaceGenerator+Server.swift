import ExactText
import Varlink

extension InterfaceGenerator {
    /// Writes the list of methods, and the protocol that a server implements.
    func writeMethods(to code: inout CodeWriter) {
        let accessModifier = accessModifier
        let namePrefix = declarations.namePrefix
        code.line()
        code.documentation("Method of the interface `\(definition.name)`.")
        code.block("\(accessModifier)enum \(namePrefix)Method: Int, Sendable, CaseIterable") {
            code in
            for method in definition.methods {
                if options.access == .public { code.documentation("Method `\(method.name)`.") }
                code.line("case \(SwiftName.lowercased(method.name))")
            }
        }
        code.line()
        code.documentation(
            "Methods of the interface `\(definition.name)`, which a server implements.")
        code.block("\(accessModifier)protocol \(namePrefix)Methods: Sendable") { code in
            code.documentation(
                "Returns the names of the string parameters that identify the queue to which a method adds its work before\nit first suspends, or `nil` if it has no queue."
            )
            code.line("static func queue(of method: \(namePrefix)Method) -> [String]?")
            for method in definition.methods {
                code.line()
                code.documentation(
                    DocumentationComment(method.documentation).text(or: "Method `\(method.name)`."))
                let reply =
                    method.reply.isEmpty
                    ? ""
                    : " -> \(declarations.qualifiedName(declarations.callTypeName(method))).Reply"
                code.list(
                    "func \(SwiftName.lowercased(method.name))(", serverParameters(method),
                    ") async throws\(reply)")
            }
        }
        code.line()
        code.block("extension \(namePrefix)Methods") { code in
            code.documentation("Returns `nil`, because no method has a queue.")
            code.line(
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
        code.line()
        code.documentation(
            "Decodes calls of `\(definition.name)`, performs them, and encodes the replies.")
        code.block(
            "\(accessModifier)struct \(namePrefix)Dispatcher<Methods: \(namePrefix)Methods>: InterfaceDispatcher"
        ) { code in
            code.line("private let methods: Methods")
            code.documentation("Definition of the interface.")
            code.line("\(accessModifier)let definition: InterfaceDefinition")
            code.line()
            code.documentation("Creates a dispatcher for the functions of a server.")
            code.line("///")
            code.documentation("- Throws: A syntax error, which indicates a programming error.")
            code.block("\(accessModifier)init(_ methods: Methods) throws(InterfaceSyntaxError)") {
                code in
                code.line("self.methods = methods")
                code.line("definition = try \(namePrefix)Interface.definition()")
            }
            code.line()
            code.documentation("Returns the properties of a method.")
            code.block("\(accessModifier)func traits(of method: Int) -> MethodTraits?") { code in
                writeTraits(to: &code)
            }
            code.line()
            code.documentation("Performs a call.")
            code.block(
                "\(accessModifier)func answer(_ request: MethodRequest) async throws -> [UInt8]"
            ) { code in
                code.line("switch \(namePrefix)Method(rawValue: request.method) {")
                for method in definition.methods { writeAnswer(to: method, &code) }
                code.line("case nil: throw request.notImplemented")
                code.line("}")
            }
        }
    }

    private func writeTraits(to code: inout CodeWriter) {
        let namePrefix = declarations.namePrefix
        code.line(
            "guard let method = \(namePrefix)Method(rawValue: method) else { return nil }")
        let hasTraits = definition.methods.contains {
            let documentation = DocumentationComment($0.documentation)
            return documentation.isReadOnly || documentation.replyMode != .single
        }
        guard hasTraits else {
            return code.line("return MethodTraits(queue: Methods.queue(of: method))")
        }
        code.line("var traits = MethodTraits(queue: Methods.queue(of: method))")
        func list(_ property: String, _ isIncluded: (DocumentationComment) -> Bool) {
            let names = definition.methods.filter {
                isIncluded(DocumentationComment($0.documentation))
            }
            .map { ".\(SwiftName.lowercased($0.name))" }
            if names.isEmpty { return }
            code.line("switch method {")
            code.continuedList("case ", names, ":")
            code.indent { $0.line("traits.\(property) = true") }
            if names.count < definition.methods.count { code.line("default: break") }
            code.line("}")
        }
        list("isReadOnly", \.isReadOnly)
        list("isStreaming") { if case .single = $0.replyMode { false } else { true } }
        code.line("return traits")
    }

    private func writeAnswer(to method: MethodDefinition, _ code: inout CodeWriter) {
        let functionName = "methods.\(SwiftName.lowercased(method.name))"
        let callType = declarations.qualifiedName(declarations.callTypeName(method))
        var arguments = method.parameters.isEmpty ? [] : ["request.read()"]
        arguments.append("request.context")
        let documentation = DocumentationComment(method.documentation)
        switch documentation.replyMode {
        case .single: break
        case .supportsMore: arguments.append("request.replies()")
        case .requiresMore: arguments.append("request.requiredReplies()")
        }
        code.line("case .\(SwiftName.lowercased(method.name)):")
        code.indent { code in
            if method.parameters.isEmpty { code.line("try request.check(\(callType).self)") }
            let joinedArguments = arguments.joined(separator: ", ")
            if method.reply.isEmpty {
                code.line("try await \(functionName)(\(joinedArguments))")
                code.line("return request.emptyReply")
                return
            }
            let singleLineText =
                "return try await request.reply(\(functionName)(\(joinedArguments)))"
            if code.fits(singleLineText) { return code.line(singleLineText) }
            code.line("return try await request.reply(")
            code.indent { $0.line("\(functionName)(\(joinedArguments)))") }
        }
    }
}
