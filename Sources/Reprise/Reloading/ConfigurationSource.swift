import Dispatch

/// Source from which a daemon's configuration can be read repeatedly.
struct ConfigurationSource: Sendable {
    /// Delay before a missing file is read again.
    ///
    /// An editor may remove a file before it writes the new version.
    static let retryDelay = Duration.milliseconds(100)
    /// Queue for reading files, so that a slow disk blocks neither the daemon's event loop nor its watchdog.
    private static let queue = DispatchQueue(label: "configuration")

    /// Description of the program.
    ///
    /// If the program was started with a configuration, a reload also requires a configuration.
    var program = ProgramDescription.reprised
    let availableApplications: [HostedApplication]
    let options: DaemonOptions
    let environment: [String: String]
    /// Configuration with which the daemon started.
    let startupConfiguration: Configuration
    /// Description of the sockets that the service manager passed, or `nil` if it passed none.
    var passedSocketsDescription: String?
    /// Clock for the retry delay.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Locations to search for the configuration.
    var searchLocations: [ConfigurationLocation] {
        options.configuration.map { [ConfigurationLocation(file: $0, of: program.name)] }
            ?? ConfigurationLocation.searchLocations(environment: environment, of: program)
    }

    /// Reads and checks the configuration and every file that it refers to.
    ///
    /// If a file is missing, the function reads all files again after a short delay.
    ///
    /// - Throws: ``ConfigurationError``, which lists every error.
    func read() async throws(ConfigurationError) -> ResolvedConfiguration {
        do throws(ConfigurationError) {
            return try await readOnce()
        } catch {
            guard error.isMissingFileError else { throw error }
            do { try await clock.sleep(for: Self.retryDelay) } catch {}
            return try await readOnce()
        }
    }

    private func readOnce() async throws(ConfigurationError) -> ResolvedConfiguration {
        let result = await withCheckedContinuation { continuation in
            Self.queue.async {
                continuation.resume(
                    returning: Result { () throws(ConfigurationError) in
                        try ResolvedConfiguration(
                            for: .reload, of: program, availableApplications: availableApplications,
                            options: options,
                            environment: environment)
                    })
            }
        }
        return try result.get()
    }
}

extension ConfigurationError {
    /// Whether the error means that a file is missing or that no configuration exists.
    fileprivate var isMissingFileError: Bool {
        switch self {
        case .notFound: true
        case .unreadable(let error): error.reason == .missing
        case .emptyOption, .tooManyDropIns, .refused: false
        }
    }
}
