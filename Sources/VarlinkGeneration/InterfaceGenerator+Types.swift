import ExactText
import Varlink

extension InterfaceGenerator {
    /// Writes the named types, and the parameters and the reply for each method.
    func writeTypes(to code: inout CodeWriter) {
        for type in definition.types {
            let name = declarations.name(of: type.name)
            let documentation = DocumentationComment(type.documentation)
                .text(or: "Type `\(type.name)` of `\(definition.name)`.")
            switch type.type {
            case .structure(let fields):
                write(
                    declarations.structure(
                        name, fields, documentation, .values,
                        qualifiedTypeName: declarations.qualifiedName(name)),
                    "JSONMessage", [], to: &code)
            case .enumeration(let cases):
                write(
                    Enumeration(name: name, documentation: documentation, cases: cases), to: &code)
            default: break  // A named type is a structure or an enumeration.
            }
        }
        for method in definition.methods { write(method, to: &code) }
    }

    private func write(_ method: MethodDefinition, to code: inout CodeWriter) {
        let comment = DocumentationComment(method.documentation)
        let accessModifier = accessModifier
        var members = [
            "/// Name of the method.", "\(accessModifier)static let method = \"\(method.name)\"",
            "",
            "/// Fully qualified name of the method.",
            "\(accessModifier)static let qualifiedMethod = \"\(definition.name).\(method.name)\"",
            "",
            "/// Whether the method changes nothing.",
            "\(accessModifier)static let isReadOnly = \(comment.isReadOnly)", "",
            "/// Errors of the interface.",
            "\(accessModifier)typealias Refusal = \(refusalTypeName)",
        ]
        if method.reply.isEmpty {
            members += [
                "", "/// The reply has no fields.", "\(accessModifier)typealias Reply = Empty",
            ]
        }
        let qualifiedCallName = declarations.qualifiedName(declarations.callTypeName(method))
        let reply = declarations.structure(
            "Reply", method.reply, "Reply to `\(method.name)`.", .values,
            qualifiedTypeName: "\(qualifiedCallName).Reply")
        write(
            callStructure(of: method), "MethodCall", members,
            [.structure(reply)].filter { _ in !method.reply.isEmpty }, to: &code)
    }

    /// Returns the structure for a method's parameters.
    func callStructure(of method: MethodDefinition) -> Structure {
        let name = declarations.callTypeName(method)
        return declarations.structure(
            name, method.parameters,
            "Parameters of `\(method.name)`.", .calls,
            qualifiedTypeName: declarations.qualifiedName(name))
    }

    // MARK: Structures

    /// Writes a structure after an empty line.
    ///
    /// - Parameters:
    ///   - kind: Library protocol to which the structure conforms.
    ///   - members: Lines that declare additional members.
    ///   - types: Additional nested types.
    func write(
        _ structure: Structure, _ kind: String, _ members: [String],
        _ types: [Declaration] = [], to code: inout CodeWriter
    ) {
        let protocols =
            [declarations.libraryName(kind), declarations.libraryName("Equatable")]
            + structure.conformances
        let accessModifier = accessModifier
        var nestedCode = CodeWriter(inBlockOf: code)
        for declaration in structure.nestedDeclarations + types {
            switch declaration {
            case .structure(let structure): write(structure, "JSONMessage", [], to: &nestedCode)
            case .enumeration(let enumeration): write(enumeration, to: &nestedCode)
            }
        }
        code.writeLine()
        code.writeDocumentation(structure.documentation)
        code.writeBlock(
            "\(accessModifier)struct \(structure.name): \(protocols.joined(separator: ", "))"
        ) { code in
            for line in members { code.writeLine(line) }
            if !members.isEmpty { code.writeLine() }
            for property in structure.properties { write(property, to: &code) }
            writeInitializers(of: structure, to: &code)
            writeReadMethod(of: structure, to: &code)
            writeWriteMethod(of: structure, to: &code)
            if structure.nestedDeclarations.isEmpty, types.isEmpty { return }
            code.writeLine()
            code.insert(nestedCode)
        }
    }

    private func write(_ property: Property, to code: inout CodeWriter) {
        let comment = DocumentationComment(property.field.documentation)
        if !comment.text.isEmpty {
            code.writeDocumentation(comment.text)
        } else if options.access == .public {
            code.writeDocumentation("Field `\(property.field.name)`.")
        }
        let wrapperAttribute = property.isBoxed ? "@\(declarations.libraryName("Boxed")) " : ""
        let initialValueClause = property.isRequired ? " = \(property.initialValue)" : ""
        let valueClause = property.isBoxed && !property.isRequired ? " = nil" : initialValueClause
        code.writeLine(
            "\(wrapperAttribute)\(accessModifier)var \(property.identifier): \(property.type)\(valueClause)"
        )
    }

    private func writeInitializers(of structure: Structure, to code: inout CodeWriter) {
        if !structure.properties.isEmpty { code.writeLine() }
        code.writeDocumentation("Creates a value with empty fields.")
        code.writeLine("\(accessModifier)init() {}")
        if structure.properties.isEmpty { return }
        code.writeLine()
        code.writeDocumentation("Creates a value from the values of its fields.")
        code.writeBlock("\(accessModifier)init", structure.properties.map(\.parameter), "") {
            code in
            for property in structure.properties {
                code.writeLine("self.\(property.identifier) = \(property.identifier)")
            }
        }
    }

    private func writeReadMethod(of structure: Structure, to code: inout CodeWriter) {
        let sortedProperties = structure.properties.sorted {
            $0.field.name.utf8.lexicographicallyPrecedes($1.field.name.utf8)
        }
        let requiredIndexes = structure.properties.filter(\.isRequired).compactMap { property in
            sortedProperties.firstIndex { $0.field.name == property.field.name }
        }
        var names = sortedProperties.map { "\"\($0.field.name)\"" }
        if !requiredIndexes.isEmpty {
            names.append("required: [\(requiredIndexes.map(String.init).joined(separator: ", "))]")
        }
        code.writeLine()
        code.writeList(
            "private static let jsonNames = \(declarations.libraryName("JSONNames"))(", names, ")")
        code.writeLine()
        code.writeDocumentation("Reads a value from JSON.")
        code.writeBlock(readMethodHead) { code in
            code.writeLine("\(sortedProperties.isEmpty ? "let" : "var") message = Self()")
            code.writeLine("var members = try reader.beginStructure(jsonNames)")
            code.writeBlock("while let member = try reader.nextMember(of: &members)") { code in
                code.writeLine("switch member {")
                for (index, property) in sortedProperties.enumerated() {
                    code.writeCase(
                        "case \(index)",
                        "message.\(property.identifier) = try reader.read(\(property.type).self)")
                }
                code.writeLine("default: break")
                code.writeLine("}")
            }
            if !requiredIndexes.isEmpty { code.writeLine("try reader.endStructure(members)") }
            code.writeLine("return message")
        }
    }

    private var readMethodHead: String {
        "\(accessModifier)static func read(from reader: inout \(declarations.libraryName("JSONReader"))) "
            + "throws(\(declarations.libraryName("JSONReadingError"))) -> Self"
    }

    private func writeWriteMethod(of structure: Structure, to code: inout CodeWriter) {
        let sortedProperties = structure.properties.sorted {
            $0.field.name.utf8.lexicographicallyPrecedes($1.field.name.utf8)
        }
        code.writeLine()
        code.writeDocumentation("Writes the value as JSON.")
        code.writeBlock(writeMethodHead) { code in
            code.writeLine("writer.beginObject()")
            for property in sortedProperties {
                let name = property.identifier
                code.writeLine(
                    "writer.member(\"\(property.field.name)\", "
                        + "\(name == "writer" ? "self.writer" : name))")
            }
            code.writeLine("writer.endObject()")
        }
    }

    private var writeMethodHead: String {
        "\(accessModifier)func write(to writer: inout \(declarations.libraryName("JSONWriter")))"
    }

    // MARK: Enumerations

    /// Writes an enumeration after an empty line.
    func write(_ enumeration: Enumeration, to code: inout CodeWriter) {
        let protocols = ["String", "Sendable", "CaseIterable", "JSONReadable", "JSONWritable"]
            .map(declarations.libraryName)
        let accessModifier = accessModifier
        code.writeLine()
        code.writeDocumentation(enumeration.documentation)
        code.writeBlock(
            "\(accessModifier)enum \(enumeration.name): \(protocols.joined(separator: ", "))"
        ) { code in
            for enumerationCase in enumeration.cases {
                if !enumerationCase.documentation.isEmpty {
                    code.writeDocumentation(enumerationCase.documentation)
                } else if options.access == .public {
                    code.writeDocumentation("Case `\(enumerationCase.name)`.")
                }
                let identifier = SwiftName.identifier(enumerationCase.name)
                let isRenamed = identifier.hasSuffix("_")
                code.writeLine(
                    "case \(identifier)\(isRenamed ? " = \"\(enumerationCase.name)\"" : "")")
            }
            writeReadMethod(of: enumeration, to: &code)
            code.writeLine()
            code.writeDocumentation("Writes the name of the case as JSON.")
            code.writeBlock(writeMethodHead) { $0.writeLine("writer.string(rawValue)") }
        }
    }

    private func writeReadMethod(of enumeration: Enumeration, to code: inout CodeWriter) {
        code.writeLine()
        code.writeList(
            "private static let jsonNames = \(declarations.libraryName("JSONNames"))(",
            enumeration.cases.map { "\"\($0.name)\"" }, ")")
        code.writeLine()
        code.writeDocumentation("Reads the name of a case from JSON.")
        code.writeBlock(readMethodHead) { code in
            code.writeLine("switch try reader.name(jsonNames) {")
            for (index, enumerationCase) in enumeration.cases.enumerated() {
                let isLast = index == enumeration.cases.count - 1
                code.writeCase(
                    isLast ? "default" : "case \(index)",
                    "return .\(SwiftName.identifier(enumerationCase.name))")
            }
            code.writeLine("}")
        }
    }
}
