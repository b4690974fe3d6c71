import ExactText
import LinuxIO
package import PositionedYAML

/// A configuration with the files that it was read from.
package struct LoadedConfiguration: Sendable, Equatable {
    /// The most drop-ins that are read.
    package static let mostDropIns = 256

    /// What the files say.
    package let configuration: Configuration
    /// Where the first file lies, with the folders beside it.
    package let location: ConfigurationLocation
    /// The paths of the drop-ins that were laid over it, in their order.
    package let dropIns: [String]
    /// Whether there is a first file.
    var isFound = true
    /// What the files say, as they wrote it.
    var document = PositionedNode(.mapping([]), at: SourcePosition(file: ""))
    /// The paths of all files, in the order in which they are laid over each other.
    var files: [String] { (isFound ? [location.file] : []) + dropIns }
    /// The files, or that there are none, in words.
    var origin: String {
        files.isEmpty
            ? "no configuration (there is no \(location.file))"
            : files.joined(separator: ", ")
    }

    /// Finds and reads the configuration: `--config`, else the first place of
    /// ``ConfigurationLocation/places(environment:)`` that has one, and over it the drop-ins
    /// `reprised.d/*.yaml` beside it, key by key, in the order of the bytes of their names.
    ///
    /// - Parameters:
    ///   - option: The value of `--config`, if it was given.
    ///   - environment: The environment of the process.
    ///   - program: what the program is called, and whether it needs a configuration.
    ///   - offered: the applications that are hosted if none are configured and the program needs no
    ///     configuration.
    ///   - trial: A drop-in that is laid over all others, or in the place of that of its name; nil:
    ///     there is none.
    ///   - files: The files of this machine, or others in tests.
    /// - Throws: ``ConfigurationError``. Syntax errors of all files are listed together; only when
    ///   there are none are keys and values looked at, and their problems listed together.
    package static func load(
        option: String?, environment: [String: String], of program: ProgramDescription = .reprised,
        offered: [String] = [], trial: String? = nil,
        files: some ConfigurationFiles = LocalConfigurationFiles()
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let (location, bytes) = try find(
            option: option, environment: environment, of: program, files: files)
        var dropIns = try dropIns(of: location, files: files)
        if let trial {
            let place = location.dropIns.appendingPath(trial.lastName)
            if let index = dropIns.firstIndex(of: place) {
                dropIns[index] = trial
            } else {
                dropIns.append(trial)
            }
        }
        let log = ProblemLog(files: [location.file] + dropIns)
        var document = PositionedNode(.mapping([]), at: SourcePosition(file: location.file))
        if let bytes { document = parse(bytes, location.file, over: document, log: log) }
        for path in dropIns {
            let bytes = try files.readYAML(path)
            document = parse(bytes, path, over: document, log: log)
        }
        do {
            try log.throwIfAny()
            let configuration = Configuration.read(
                document, of: program.hostsAllByDefault ? offered : [], log: log)
            try log.throwIfAny()
            return LoadedConfiguration(
                configuration: configuration, location: location, dropIns: dropIns,
                isFound: bytes != nil, document: document)
        } catch {
            throw .refused(error)
        }
    }

    /// Lays a file over the document. An empty one changes nothing, so that a drop-in may be
    /// commented out. One that is a list or a single value is refused here, because merging would
    /// replace the whole document by it.
    private static func parse(
        _ bytes: [UInt8], _ path: String, over document: PositionedNode, log: ProblemLog
    ) -> PositionedNode {
        do {
            guard let overlay = try PositionedNode.ifPresent(yaml: bytes, file: path)
            else { return document }
            return overlay.checkMapping(log: log) ? document.merging(overlay) : document
        } catch {
            log.report(error)
            return document
        }
    }

    private static func find(
        option: String?, environment: [String: String], of program: ProgramDescription,
        files: some ConfigurationFiles
    ) throws(ConfigurationError) -> (ConfigurationLocation, [UInt8]?) {
        if let option {
            guard !option.isEmpty, !option.utf8.contains(0) else { throw .emptyOption }
            return (
                ConfigurationLocation(file: option, of: program.name), try files.readYAML(option)
            )
        }
        let places = ConfigurationLocation.places(environment: environment, of: program)
        for place in places {
            do {
                return (place, try files.read(place.file, limit: YAMLLimits.size))
            } catch {
                guard error.reason == .missing else { throw .unreadable(error) }
            }
        }
        guard !program.needsConfiguration, let first = places.first else {
            throw .notFound(tried: places.map(\.file))
        }
        return (first, nil)
    }

    private static func dropIns(
        of location: ConfigurationLocation, files: some ConfigurationFiles
    ) throws(ConfigurationError) -> [String] {
        let names: [String]
        do {
            names = try files.names(in: location.dropIns)
        } catch {
            guard error.reason == .missing else { throw .unreadable(error) }
            return []
        }
        let chosen = names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
        guard chosen.count <= mostDropIns else {
            throw .tooManyDropIns(folder: location.dropIns)
        }
        return chosen.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { location.dropIns.appendingPath($0) }
    }
}

extension LoadedConfiguration {
    /// Positions of the values that the files state, by the names of their keys, such as `history.count`.
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

extension ConfigurationFiles {
    /// Reads a whole file of YAML.
    func readYAML(_ path: String) throws(ConfigurationError) -> [UInt8] {
        do {
            return try read(path, limit: YAMLLimits.size)
        } catch {
            throw .unreadable(error)
        }
    }
}

/// Why there is no configuration. The daemon does not start with any of these, and goes on with
/// the configuration it has when it was asked to read it anew.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// No file in any of these places.
    case notFound(tried: [String])
    /// `--config` was given without a path.
    case emptyOption
    /// A file or folder that is there, or was named, and cannot be read.
    case unreadable(FileReadError)
    /// There are more drop-ins than ``LoadedConfiguration/mostDropIns``; their folder.
    case tooManyDropIns(folder: String)
    /// What the files say is wrong; everything that is.
    case refused(PositionedErrors)
}

extension ConfigurationError: CustomStringConvertible {
    /// One sentence; for ``refused(_:)`` one line for each problem, `file:line:column: sentence`.
    package var description: String {
        switch self {
        case .notFound(let tried):
            "there is no configuration (looked for \(tried.joined(separator: ", "))): "
                + "write one there, or name one with --config FILE."
        case .emptyOption:
            "--config has no value: write the path of a configuration after it."
        case .unreadable(let error):
            error.description
        case .tooManyDropIns(let folder):
            "\(folder) holds more than \(LoadedConfiguration.mostDropIns) drop-ins: join some."
        case .refused(let errors):
            errors.description
        }
    }
}
