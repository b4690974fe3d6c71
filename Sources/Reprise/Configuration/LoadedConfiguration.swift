import ExactText
import LinuxIO
import PositionedYAML

/// Configuration, with the files from which it was read.
package struct LoadedConfiguration: Sendable, Equatable {
    /// Maximum number of drop-ins.
    package static let maximumDropIns = 256

    /// Configuration specified by the files.
    package let configuration: Configuration
    /// Location of the main file and of the directories beside it.
    package let location: ConfigurationLocation
    /// Paths of the drop-ins, in the order in which they were applied.
    package let dropIns: [String]
    /// Whether the main file exists.
    var hasMainFile = true
    /// YAML document that results from merging all files, with the position of each value.
    var document = PositionedNode(.mapping([]), at: SourcePosition(file: ""))
    /// Paths of all files, in the order in which they were applied.
    var files: [String] { (hasMainFile ? [location.file] : []) + dropIns }
    /// Phrase that lists the files, or states that no file exists. It is used in log messages.
    var sourcePhrase: String {
        files.isEmpty
            ? "no configuration (there is no \(location.file))"
            : files.joined(separator: ", ")
    }

    /// Finds and reads the configuration, and applies its drop-ins.
    ///
    /// The main file is the value of `--config`. Without that option, it is the first file that exists at one of the
    /// ``ConfigurationLocation/searchLocations(environment:of:)``. The drop-ins are `reprised.d/*.yaml` beside the main
    /// file, and are applied key by key, in the byte order of their file names.
    ///
    /// - Parameters:
    ///   - option: The value of `--config`, or `nil` if the option was not used.
    ///   - environment: The environment of the process.
    ///   - program: The program, which determines whether a configuration is required.
    ///   - availableApplications: The applications to host if the configuration lists no applications and the program
    ///     hosts all of its applications by default.
    ///   - candidateDropIn: The path of a drop-in to check, or `nil` if there is none. It is applied as if it were
    ///     installed. If its file name is not that of a drop-in, it is applied last.
    ///   - fileReader: The file system operations, which tests can replace.
    /// - Throws: ``ConfigurationError``. If any file has syntax errors, the error lists the syntax errors in all files.
    ///   Otherwise, it lists all problems with keys and values.
    package static func load(
        option: String?, environment: [String: String], of program: ProgramDescription = .reprised,
        availableApplications: [String] = [], candidateDropIn: String? = nil,
        fileReader: some ConfigurationFileReader = LocalConfigurationFileReader()
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let (location, bytes) = try findMainFile(
            option: option, environment: environment, of: program, fileReader: fileReader)
        var dropIns = try findDropIns(of: location, fileReader: fileReader)
        if let candidateDropIn { insert(candidateDropIn, into: &dropIns, of: location) }
        guard dropIns.count <= maximumDropIns else {
            throw .tooManyDropIns(directory: location.dropInsDirectory, limit: maximumDropIns)
        }
        let log = ProblemLog(fileNames: [location.file] + dropIns)
        var document = PositionedNode(.mapping([]), at: SourcePosition(file: location.file))
        if let bytes { document = mergeFile(bytes, location.file, over: document, log: log) }
        for path in dropIns {
            let bytes = try fileReader.readYAML(path)
            document = mergeFile(bytes, path, over: document, log: log)
        }
        do {
            try log.throwReportedProblems()
            let configuration = Configuration.read(
                document, of: program.hostsAllByDefault ? availableApplications : [], log: log)
            try log.throwReportedProblems()
            return LoadedConfiguration(
                configuration: configuration, location: location, dropIns: dropIns,
                hasMainFile: bytes != nil, document: document)
        } catch {
            throw .refused(error)
        }
    }

    /// Merges a file into the document.
    ///
    /// An empty file changes nothing, so all lines of a drop-in may be commented out. A file that contains a list or a
    /// single value is refused here, because merging it would replace the whole document.
    private static func mergeFile(
        _ bytes: [UInt8], _ path: String, over document: PositionedNode, log: ProblemLog
    ) -> PositionedNode {
        do {
            guard let overlay = try PositionedNode.parseIfPresent(yaml: bytes, file: path)
            else { return document }
            return overlay.checkMapping(log: log) ? document.merging(overlay) : document
        } catch {
            log.report(error)
            return document
        }
    }

    private static func findMainFile(
        option: String?, environment: [String: String], of program: ProgramDescription,
        fileReader: some ConfigurationFileReader
    ) throws(ConfigurationError) -> (ConfigurationLocation, [UInt8]?) {
        if let option {
            guard !option.isEmpty, !option.utf8.contains(0) else { throw .emptyOption }
            return (
                ConfigurationLocation(file: option, of: program.name),
                try fileReader.readYAML(option)
            )
        }
        let searchLocations = ConfigurationLocation.searchLocations(
            environment: environment, of: program)
        for location in searchLocations {
            do {
                return (
                    location, try fileReader.read(location.file, limit: YAMLLimits.maximumBytes)
                )
            } catch {
                guard error.reason == .missing else { throw .unreadable(error) }
            }
        }
        guard !program.needsConfiguration, let first = searchLocations.first else {
            throw .notFound(triedPaths: searchLocations.map(\.file))
        }
        return (first, nil)
    }

    private static func findDropIns(
        of location: ConfigurationLocation, fileReader: some ConfigurationFileReader
    ) throws(ConfigurationError) -> [String] {
        let names: [String]
        do {
            names = try fileReader.names(in: location.dropInsDirectory)
        } catch {
            guard error.reason == .missing else { throw .unreadable(error) }
            return []
        }
        return names.filter(isDropInName)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { location.dropInsDirectory.appendingPath($0) }
    }

    /// Returns whether a file with the given name in the drop-in directory is a drop-in.
    static func isDropInName(_ name: String) -> Bool {
        name.hasSuffix(".yaml") && !name.hasPrefix(".")
    }

    /// Inserts a drop-in at the position at which it is applied after its installation.
    ///
    /// The name of a temporary file says nothing about this position, so such a file is appended.
    private static func insert(
        _ path: String, into dropIns: inout [String], of location: ConfigurationLocation
    ) {
        let name = path.lastPathComponent
        guard isDropInName(name) else { return dropIns.append(path) }
        let installedPath = location.dropInsDirectory.appendingPath(name)
        dropIns.removeAll { $0.utf8.elementsEqual(installedPath.utf8) }
        let index = dropIns.firstIndex { installedPath.utf8.lexicographicallyPrecedes($0.utf8) }
        dropIns.insert(path, at: index ?? dropIns.endIndex)
    }
}

extension LoadedConfiguration {
    /// Positions of the values in the files, keyed by configuration key, such as `history.count`.
    var positions: [ExactString: SourcePosition] {
        guard case .mapping(let sections) = document.content else { return [:] }
        var positions: [ExactString: SourcePosition] = [:]
        for section in sections {
            positions[ExactString(section.key)] = section.value.position
            guard case .mapping(let entries) = section.value.content else { continue }
            for entry in entries {
                positions[ExactString("\(section.key).\(entry.key)")] = entry.value.position
            }
        }
        return positions
    }
}
