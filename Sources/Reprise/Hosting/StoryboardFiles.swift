import PositionedYAML
import SavedState
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
    ///   - names: the files' names.
    ///   - bundleVersion: the version of the program that they have to be for (L6).
    /// - Returns: what they hold, and a fingerprint that other bytes do not have.
    /// - Throws: ``ConfigurationError`` with everything that is wrong with the files by themselves.
    func read(
        _ names: [String], bundleVersion: String
    ) throws(ConfigurationError) -> (definitions: [StoryboardDefinition], fingerprint: UInt64) {
        let paths = names.map { folder.appendingPath($0) }
        let log = ProblemLog(files: paths)
        var definitions: [StoryboardDefinition] = []
        var contents: [[UInt8]] = []
        for path in paths {
            let bytes: [UInt8]
            do throws(FileReadError) {
                bytes = try files.read(path, limit: YAMLLimits.size)
            } catch {
                throw .unreadable(error)
            }
            contents.append(bytes)
            do throws(PositionedErrors) {
                let definition = try StoryboardDefinition(yaml: bytes, file: path)
                check(definition.bundleVersion, bundleVersion, log)
                definitions.append(definition)
            } catch {
                log.report(error)
            }
        }
        do throws(PositionedErrors) {
            try log.throwIfAny()
        } catch {
            throw .refused(error)
        }
        return (definitions, ProgramIdentity.fingerprint(contents))
    }

    private func check(_ stated: Positioned<String>, _ bundleVersion: String, _ log: ProblemLog) {
        guard stated.value != bundleVersion else { return }
        log.report(
            "the storyboard is for version \(Quotation(stated.value)) of the program, and "
                + "this is version \(Quotation(bundleVersion)): install the storyboard of this "
                + "version, or start the other program.",
            at: stated.position)
    }
}
