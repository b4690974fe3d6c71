package import PositionedYAML

extension Configuration {
    /// Reads the document of a configuration, after the drop-ins were laid over it.
    ///
    /// - Parameter log: Receives everything that is wrong. When it received anything the result is
    ///   not to be used.
    package static func read(_ document: PositionedNode, log: ProblemLog) -> Configuration {
        document.readMapping("", log: log) { reader in
            var configuration = Configuration(applications: applications(reader))
            configuration.preservation = section(reader, "preservation") { $0.read($1) }
            configuration.history = section(reader, "history") { $0.read($1) }
            configuration.quarantine = section(reader, "quarantine") { $0.read($1) }
            configuration.launch = section(reader, "launch") { $0.read($1) }
            configuration.limits = section(reader, "limits") { $0.read($1) }
            configuration.control = section(reader, "control") { $0.read($1) }
            configuration.log = section(reader, "log") { $0.read($1) }
            configuration.debug = section(reader, "debug") { $0.read($1) }
            return configuration
        } ?? Configuration(applications: [])
    }

    private static func section<Section: ConfigurationSection>(
        _ reader: MappingReader, _ key: String,
        _ read: (inout Section, MappingReader) -> Void
    ) -> Section {
        reader.mapping(key) { reader in
            var section = Section()
            read(&section, reader)
            return section
        } ?? Section()
    }
}

private protocol ConfigurationSection {
    init()
    mutating func read(_ reader: MappingReader)
}

extension Configuration.Preservation: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        interval = reader.value(
            "interval", .duration.within(.milliseconds(1) ... .seconds(3600)), default: interval)
        durability = reader.value("durability", .word, default: durability)
    }
}

extension Configuration.History: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        (count, bytes) = reader.keptFiles(count: count, bytes: bytes)
        interval = reader.value(
            "interval", .duration.within(.seconds(1) ... .seconds(8760 * 3600)), default: interval)
    }
}

extension Configuration.Quarantine: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        (count, bytes) = reader.keptFiles(count: count, bytes: bytes)
    }
}

extension MappingReader {
    /// The bounds of files that are kept beside an archive, of which the oldest go.
    fileprivate func keptFiles(count: Int, bytes: Int) -> (count: Int, bytes: Int) {
        (
            value("count", .integer.within(1...10_000), default: count),
            value("bytes", .byteSize.within(64 << 10...1 << 40), default: bytes)
        )
    }
}

extension Configuration.Launch: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        crashLimit = reader.value("crashLimit", .integer.within(1...100), default: crashLimit)
        timeout = reader.value(
            "timeout", .duration.within(.milliseconds(1) ... .seconds(3600)), default: timeout)
    }
}

extension Configuration.Limits: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        let sizes = ScalarFormat.byteSize.within(1 << 10...1 << 30)
        state = reader.value("state", sizes, default: state)
        stateWarning = reader.value("stateWarning", sizes, default: min(stateWarning, state))
        if stateWarning > state {
            reader.log.report(
                "limits.stateWarning (\(stateWarning.writtenAsBytes)) is above limits.state "
                    + "(\(state.writtenAsBytes)): write a smaller warning or a larger limit.",
                at: reader.entry("stateWarning")?.value.position ?? reader.position)
        }
    }
}

extension Configuration.Control: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        socket = reader.optional("socket", .socketPath)?.value
        connectionsPerUser = reader.value(
            "connectionsPerUser", .integer.within(1...100_000), default: connectionsPerUser)
        requestBytes = reader.value(
            "requestBytes", .byteSize.within(1 << 10...64 << 20), default: requestBytes)
        observers = reader.optional("observers", .groupName)?.value
    }
}

extension Configuration.Log: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        level = reader.value("level", .word, default: level)
    }
}

extension Configuration.Debug: ConfigurationSection {
    fileprivate mutating func read(_ reader: MappingReader) {
        exits = reader.value("exits", .boolean, default: exits)
    }
}

extension Configuration {
    private static let mostApplications = 256
    private static let mostNames = 256

    /// Reads the key `applications`.
    static func applications(_ reader: MappingReader) -> [ConfiguredApplication] {
        guard let entry = reader.requiredEntry("applications"),
            let applications = reader.mappings("applications", application)
        else { return [] }
        if case .sequence(let elements) = entry.value.content,
            elements.isEmpty || elements.count > mostApplications
        {
            reader.log.report(
                "applications has \(elements.count) entries: "
                    + "write from 1 to \(mostApplications).", at: entry.value.position)
        }
        checkDistinct(applications.map(\.bundleIdentifier), "the application", log: reader.log)
        return applications
    }

    private static func application(_ reader: MappingReader) -> ConfiguredApplication? {
        let bundleIdentifier = reader.required("bundleIdentifier", .bundleIdentifier)
        let scenes = names(reader, "scenes", .sceneName, "the scene")
        let storyboards = names(reader, "storyboards", .storyboardFile, "the storyboard")
        guard let bundleIdentifier else { return nil }
        let defaultScene = Positioned(
            ConfiguredApplication.defaultScene, at: bundleIdentifier.position)
        return ConfiguredApplication(
            bundleIdentifier: bundleIdentifier, scenes: scenes ?? [defaultScene],
            storyboards: storyboards)
    }

    private static func names(
        _ reader: MappingReader, _ key: String, _ format: ScalarFormat<String>, _ noun: String
    ) -> [Positioned<String>]? {
        guard let names = reader.list(key, of: format) else { return nil }
        if let value = reader.entry(key)?.value, case .sequence(let elements) = value.content,
            elements.isEmpty || elements.count > mostNames
        {
            reader.log.report(
                "\(reader.path(of: key)) has \(elements.count) entries: "
                    + "write from 1 to \(mostNames), or take the key out.", at: value.position)
        }
        checkDistinct(names, noun, log: reader.log)
        return names
    }

    private static func checkDistinct(
        _ names: [Positioned<String>], _ noun: String, log: ProblemLog
    ) {
        var first: [[UInt8]: SourcePosition] = [:]
        for name in names {
            let bytes = Array(name.value.utf8)
            guard let earlier = first[bytes] else {
                first[bytes] = name.position
                continue
            }
            log.report(
                "\(noun) \(Quotation(name.value)) is already listed in line \(earlier.line): "
                    + "keep one of them.", at: name.position)
        }
    }
}
