import PositionedYAML
import Storyboards

/// Reads the storyboards of an application from the folder beside the configuration.
struct StoryboardFiles {
    private let folder: String
    private let files: any ConfigurationFiles

    init(folder: String, files: any ConfigurationFiles = LocalConfigurationFiles()) {
        self.folder = folder
        self.files = files
    }

    /// Reads storyboards.
    ///
    /// - Parameters:
    ///   - names: the files' names, each with its place in the configuration if it stands there.
    ///   - bundleVersion: the version of the program that they have to be for (L6).
    /// - Throws: ``ConfigurationError`` with everything that is wrong with the files by themselves.
    func read(
        _ names: [String], bundleVersion: String
    ) throws(ConfigurationError) -> [StoryboardDefinition] {
        var definitions: [StoryboardDefinition] = []
        for name in names {
            let path = folder.appendingPath(name)
            let definition = try read(path)
            let stated = definition.bundleVersion
            guard stated.value == bundleVersion else {
                let message =
                    "the storyboard is for version \(Quotation(stated.value)) of the program, and "
                    + "this is version \(Quotation(bundleVersion)): install the storyboard of this "
                    + "version, or start the other program."
                throw .refused(PositionedErrors([PositionedError(message, at: stated.position)]))
            }
            definitions.append(definition)
        }
        return definitions
    }
    private func read(_ path: String) throws(ConfigurationError) -> StoryboardDefinition {
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try files.read(path, limit: YAMLLimits.size)
        } catch {
            throw .unreadable(error)
        }
        do throws(PositionedErrors) {
            return try StoryboardDefinition(yaml: bytes, file: path)
        } catch {
            throw .refused(error)
        }
    }
}
