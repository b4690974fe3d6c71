import ArgumentParser
import Glibc
import Varlink
import VarlinkGeneration

/// Program that generates Swift code from a Varlink interface definition.
@main
struct VarlinkSwift: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varlink-swift",
        abstract: "Generates Swift code from a Varlink interface definition.",
        discussion: """
            The generated file contains the types of the interface, its errors, a client, and the protocol that a \
            server implements. Options for a definition can be written into a file with the same name and the \
            extension "options", one option on each line.
            """)

    @Argument(help: "File with the interface definition.")
    var definition: String

    @Option(help: "Swift file to write. The default is standard output.")
    var output: String?

    @Flag(help: "Write nothing, and fail if the Swift file is not up to date.")
    var check = false

    @OptionGroup var options: DefinitionOptions

    func run() throws {
        let text = try File.text(at: definition)
        let interface: InterfaceDefinition
        do throws(InterfaceSyntaxError) {
            interface = try InterfaceDefinition(parsing: text)
        } catch {
            throw ValidationError("\(definition):\(error.line):\(error.column): \(error)")
        }
        let options = try DefinitionOptions.combinedOptions(with: options, nextTo: definition)
        let code = try InterfaceGenerator(interface, options.generationOptions()).makeSwiftFile()
        guard let output else { return print(code, terminator: "") }
        let currentCode = try File.text(at: output, orEmpty: true)
        if currentCode.utf8.elementsEqual(code.utf8) { return }
        if check {
            throw ValidationError(
                "\(output) is not up to date: run `swift package generate-varlink`.")
        }
        try File.write(code, to: output)
    }
}

/// Options for the generated code.
struct DefinitionOptions: ParsableArguments {
    @Option(help: "Access of the generated declarations: internal, package or public.")
    var access: GenerationOptions.Access?

    @Option(help: "Name from which the names of the declarations are formed, such as Clock.")
    var name: String?

    @Flag(help: "Declare the types outside the enumeration that represents the interface.")
    var flat = false

    @Option(
        help: ArgumentHelp(
            "Swift type for the Varlink type object, such as Value, or Module.Value if --import "
                + "names its module."))
    var object: String?

    @Option(name: .customLong("import"), help: "Module to import.")
    var imports: [String] = []

    @Option(help: "Swift name of a type, such as Scene=SceneDescription.")
    var rename: [String] = []

    @Option(
        help: "Protocol of the parameters with certain fields, such as SceneCall=scene:?string.")
    var callProtocol: [String] = []

    @Option(help: "Protocol of the replies and types with certain fields.")
    var valueProtocol: [String] = []

    /// Combines the options on the command line with the options in the `.options` file next to a definition.
    static func combinedOptions(
        with options: DefinitionOptions, nextTo definition: String
    ) throws -> DefinitionOptions {
        let text = try File.text(
            at: (definition.hasSuffix(".varlink") ? String(definition.dropLast(8)) : definition)
                + ".options", orEmpty: true)
        let words = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .flatMap { $0.split(separator: " ", maxSplits: 1) }.map(String.init)
        var combined = try DefinitionOptions.parse(words)
        combined.access = options.access ?? combined.access
        combined.name = options.name ?? combined.name
        combined.flat = options.flat || combined.flat
        combined.object = options.object ?? combined.object
        combined.imports += options.imports
        combined.rename += options.rename
        combined.callProtocol += options.callProtocol
        combined.valueProtocol += options.valueProtocol
        return combined
    }

    func generationOptions() throws -> GenerationOptions {
        var options = GenerationOptions()
        options.access = access ?? .public
        options.namePrefix = name
        options.declaresTypesAtTopLevel = flat
        if let object { options.objectType = object }
        options.imports = imports
        for option in rename {
            let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else {
                throw ValidationError("--rename \(option): write it as Type=Name.")
            }
            options.typeNames[pair[0]] = pair[1]
        }
        for (kind, list) in [
            (GenerationOptions.Conformance.Kind.calls, callProtocol), (.values, valueProtocol),
        ] {
            for option in list {
                guard let conformance = GenerationOptions.Conformance(kind, parsing: option) else {
                    throw ValidationError("\(option): write it as Protocol=field:type,field:type.")
                }
                options.conformances.append(conformance)
            }
        }
        return options
    }
}

extension GenerationOptions.Access: ExpressibleByArgument {}

/// Functions that read and write text files.
enum File {
    /// Maximum size of a file, in bytes.
    private static let maximumBytes = 64 << 20

    /// Returns the text of a file.
    ///
    /// - Parameter orEmpty: Whether a missing file counts as empty.
    static func text(at path: String, orEmpty: Bool = false) throws -> String {
        guard let file = fopen(path, "re") else {
            if errno == ENOENT, orEmpty { return "" }
            throw ValidationError("\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, file)
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        guard ferror(file) == 0 else { throw ValidationError("\(path) cannot be read.") }
        guard bytes.count <= maximumBytes, let text = String(validating: bytes, as: UTF8.self)
        else {
            throw ValidationError("\(path) is not UTF-8, or is larger than \(maximumBytes) bytes.")
        }
        return text
    }

    /// Replaces the contents of a file.
    static func write(_ text: String, to path: String) throws {
        let bytes = Array(text.utf8)
        guard let file = fopen(path, "we") else {
            throw ValidationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else {
            throw ValidationError("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
