import Dispatch

/// Where a daemon's configuration comes from, to be read again and again.
struct ConfigurationSource: Sendable {
    /// How long what is missing may be away: an editor takes a file away and puts another one
    /// there.
    static let patience = Duration.milliseconds(100)
    /// Reading waits for a disk, perhaps for ever; the daemon's event loop goes on meanwhile, and
    /// with it the watchdog.
    private static let queue = DispatchQueue(label: "configuration")

    /// What the program is called. One that was started with a configuration needs that at a reload, too.
    var program = ProgramDescription.reprised
    let offered: [HostedApplication]
    let options: DaemonOptions
    let environment: [String: String]
    /// The configuration that the daemon was started with.
    let started: Configuration
    /// The sockets that the service manager passed, in words; nil: none.
    var passedSockets: String?
    /// Counts the patience.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Where a configuration is looked for.
    var places: [ConfigurationLocation] {
        options.configuration.map { [ConfigurationLocation(file: $0, of: program.name)] }
            ?? ConfigurationLocation.places(environment: environment, of: program)
    }

    /// Reads and checks the configuration and everything it names. If a file is missing it is
    /// looked for again a little later.
    ///
    /// - Throws: ``ConfigurationError`` with everything that is wrong.
    func read() async throws(ConfigurationError) -> HostAssembly {
        do throws(ConfigurationError) {
            return try await readOnce()
        } catch {
            guard error.isOfMissingFile else { throw error }
            do { try await clock.sleep(for: Self.patience) } catch {}
            return try await readOnce()
        }
    }

    private func readOnce() async throws(ConfigurationError) -> HostAssembly {
        let result = await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    returning: Result { () throws(ConfigurationError) in
                        try HostAssembly(
                            for: .reload, of: program, offered: offered, options: options,
                            environment: environment)
                    })
            }
        }
        return try result.get()
    }
}

extension ConfigurationError {
    /// Whether a file, or all of them, are not there.
    fileprivate var isOfMissingFile: Bool {
        switch self {
        case .notFound: true
        case .unreadable(let error): error.reason == .missing
        case .emptyOption, .tooManyDropIns, .refused: false
        }
    }
}
