import Foundation
import PackagePlugin

/// Plugin for the command `swift package generate-varlink`, which generates the Swift code for the interface
/// definitions in a package.
///
/// The command writes `Generated/NAME.swift` next to each `NAME.varlink` in the directory of a target. With `--check`,
/// it writes nothing, and fails if a file is not up to date.
@main
struct GenerateVarlink: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "varlink-swift").url
        let isCheck = arguments.contains("--check")
        for target in context.package.targets {
            guard let directory = (target as? SwiftSourceModuleTarget)?.directoryURL else {
                continue
            }
            let definitions = try FileManager.default.contentsOfDirectory(
                at: directory, includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == "varlink" }
            for definition in definitions {
                try generate(definition, with: tool, isCheck: isCheck)
            }
        }
    }

    private func generate(_ definition: URL, with tool: URL, isCheck: Bool) throws {
        let outputDirectory = definition.deletingLastPathComponent().appending(path: "Generated")
        if !isCheck {
            try FileManager.default.createDirectory(
                at: outputDirectory, withIntermediateDirectories: true)
        }
        let name = definition.deletingPathExtension().lastPathComponent
        let output = outputDirectory.appending(path: "\(name).swift")
        let process = Process()
        process.executableURL = tool
        process.arguments =
            [definition.path, "--output", output.path] + (isCheck ? ["--check"] : [])
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(definition: definition.path) }
    }

    private struct Failed: Error, CustomStringConvertible {
        let definition: String

        var description: String { "No code was generated from \(definition)." }
    }
}
