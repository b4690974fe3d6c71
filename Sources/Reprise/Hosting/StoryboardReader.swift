import ExactText
import LinuxIO
import PositionedYAML
import SavedState
import Storyboards

/// Reader for an application's storyboards, which are in a directory beside the configuration.
struct StoryboardReader {
    /// Path of the directory that contains the storyboards.
    let directory: String
    var fileReader: any ConfigurationFileReader = LocalConfigurationFileReader()

    /// Contents of an application's storyboards.
    struct Contents {
        /// Definitions from the files.
        var definitions: [StoryboardDefinition]
        /// Fingerprint of the contents of the files.
        var fingerprint: UInt64
        /// Errors at the positions where storyboards state a different version of the program (L6), or `nil` if every
        /// storyboard is for this version.
        var versionErrors: PositionedErrors?
    }

    /// Reads the storyboards in the given files.
    ///
    /// - Parameters:
    ///   - names: The names of the files.
    ///   - bundleVersion: The version of the program that the storyboards must state (L6).
    /// - Throws: ``ConfigurationError`` if a file has an error other than a wrong version. In that case, the error also
    ///   lists the wrong versions.
    func read(
        _ names: [String], bundleVersion: String
    ) throws(ConfigurationError) -> Contents {
        let paths = names.map { directory.appendingPath($0) }
        let log = ProblemLog(fileNames: paths)
        let versionProblems = ProblemLog(fileNames: paths)
        var definitions: [StoryboardDefinition] = []
        var contents: [[UInt8]] = []
        var isValid = true
        for path in paths {
            let bytes = try fileReader.readYAML(path)
            contents.append(bytes)
            do throws(PositionedErrors) {
                let definition = try StoryboardDefinition(yaml: bytes, file: path)
                checkVersion(definition.bundleVersion, bundleVersion, versionProblems)
                definitions.append(definition)
            } catch {
                log.report(error)
                isValid = false
            }
        }
        let versionErrors = versionProblems.problems
        if !isValid, let versionErrors { log.report(versionErrors) }
        if let problems = log.problems { throw .refused(problems) }
        return Contents(
            definitions: definitions, fingerprint: ProgramIdentity.fingerprint(contents),
            versionErrors: versionErrors)
    }

    private func checkVersion(
        _ storyboardVersion: Positioned<String>, _ bundleVersion: String, _ log: ProblemLog
    ) {
        guard storyboardVersion.value != bundleVersion else { return }
        log.report(
            "the storyboard is for version \(Quotation(storyboardVersion.value)) of the program, and "
                + "this is version \(Quotation(bundleVersion)): install the storyboard of this "
                + "version, or start the other program.",
            at: storyboardVersion.position)
    }
}
