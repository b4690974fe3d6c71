import ExactText
import LinuxIO
import PositionedYAML
import SavedState
import Storyboards

/// Reads the storyboards of an application from the folder beside the configuration.
struct StoryboardFiles {
    let folder: String
    var files: any ConfigurationFiles = LocalConfigurationFiles()

    /// The storyboards of an application.
    struct Contents {
        /// What they hold.
        var definitions: [StoryboardDefinition]
        /// Tells their bytes from others.
        var fingerprint: UInt64
        /// The places that say that they are for another version of the program (L6); nil: none
        /// does.
        var otherVersions: PositionedErrors?
    }

    /// Reads storyboards.
    ///
    /// - Parameters:
    ///   - names: the files' names.
    ///   - bundleVersion: the version of the program that they are to be for (L6).
    /// - Throws: ``ConfigurationError`` with everything that is wrong with the files by themselves,
    ///   and then also with their versions.
    func read(
        _ names: [String], bundleVersion: String
    ) throws(ConfigurationError) -> Contents {
        let paths = names.map { folder.appendingPath($0) }
        let log = ProblemLog(files: paths)
        let versions = ProblemLog(files: paths)
        var definitions: [StoryboardDefinition] = []
        var contents: [[UInt8]] = []
        var isSound = true
        for path in paths {
            let bytes = try files.readYAML(path)
            contents.append(bytes)
            do throws(PositionedErrors) {
                let definition = try StoryboardDefinition(yaml: bytes, file: path)
                check(definition.bundleVersion, bundleVersion, versions)
                definitions.append(definition)
            } catch {
                log.report(error)
                isSound = false
            }
        }
        let otherVersions = versions.problems
        if !isSound, let otherVersions { log.report(otherVersions) }
        if let problems = log.problems { throw .refused(problems) }
        return Contents(
            definitions: definitions, fingerprint: ProgramIdentity.fingerprint(contents),
            otherVersions: otherVersions)
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
