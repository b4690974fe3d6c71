import ExactText
import Logging
import PositionedYAML
import Preservation
import Varlink
import VarlinkServing

/// Reloader that applies changes to the configuration and the storyboards without losing state.
///
/// If any file has an error, nothing is applied, and the error is reported until it has been fixed. Only one reload may
/// run at a time.
struct Reloader: Sendable {
    let source: ConfigurationSource
    let applications: ApplicationList
    let server: VarlinkServer
    let level: LiveLogLevel
    let daemonState: DaemonState
    let log: DaemonLog

    /// Reads the configuration and applies any changes.
    ///
    /// - Parameter triggers: The origins of the reload requests.
    func reload(because triggers: [ReloadTrigger]) async -> ReloadOutcome {
        let isRequested = triggers.contains(.signal) || triggers.contains(.command)
        let reason = triggers.map(\.rawValue).joined(separator: ", ")
        log.log(
            triggers == [.start] ? .debug : .info, .reloadStarted,
            "reading configuration and storyboards (\(reason))", ["REPRISE_REASON": reason])
        daemonState.update { $0.isReloading = true }
        defer { daemonState.update { $0.isReloading = false } }
        do throws(ConfigurationError) {
            let resolvedConfiguration = try await source.read()
            log.log(
                daemonState.updateWarnings(
                    resolvedConfiguration.warnings(passedSockets: source.passedSocketsDescription)))
            let report = await apply(resolvedConfiguration)
            logReport(report, isRequested ? .notice : triggers == [.start] ? .debug : .info, reason)
            return .done(report)
        } catch {
            daemonState.update {
                $0.configurationError = "\(error)\na start with this would fail with status 78"
            }
            log.log(error)
            return .refused(error)
        }
    }

    private func apply(_ resolvedConfiguration: ResolvedConfiguration) async -> ReloadReport {
        let newConfiguration = resolvedConfiguration.loadedConfiguration.configuration
        let oldConfiguration = daemonState.values.configuration
        var report = ReloadReport(
            appliedChanges: await apply(newConfiguration, insteadOf: oldConfiguration),
            changesAtRestart: changesAtRestart(resolvedConfiguration))
        if report.appliedChanges.contains("log.level") {
            level.level = resolvedConfiguration.logLevel
        }
        for (application, result) in await reload(resolvedConfiguration) {
            switch result {
            case .success(let appliedChanges): report.appliedChanges += appliedChanges
            case .failure(let failure):
                report.failures.append(failure.sentence)
                log.log(
                    .error, .applicationNotReloaded, failure.sentence,
                    ["REPRISE_APPLICATION": application])
            }
        }
        daemonState.update { values in
            values.configuration = newConfiguration
            values.changesAtRestart = report.changesAtRestart
            values.configurationError =
                report.failures.isEmpty ? nil : report.failures.joined(separator: "\n")
        }
        return report
    }

    /// Applies changes that do not concern a single application, and returns the keys whose new values are now in
    /// effect.
    private func apply(_ newConfiguration: Configuration, insteadOf oldConfiguration: Configuration)
        async -> [String]
    {
        let changedKeys = ConfigurationKey.all.filter {
            $0.differs(newConfiguration, oldConfiguration)
        }
        if changedKeys.contains(where: { $0.effect == .inApplications }) {
            let settings = PreservationSettings(newConfiguration)
            for application in applications.applications { await application.apply(settings) }
        }
        server.limits.apply(newConfiguration.control)
        return changedKeys.filter { key in
            key.effect != .atRestart && !(key.name == "log.level" && source.options.logLevel != nil)
        }.map(\.name)
    }

    private func logReport(_ report: ReloadReport, _ unchangedLevel: Logger.Level, _ reason: String)
    {
        for clause in report.changesAtRestart {
            log.log(
                .notice, .restartRequired, "takes effect at the next restart: \(clause)",
                ["REPRISE_REASON": reason])
        }
        let isChanged = !report.appliedChanges.isEmpty
        // The failures of applications have already been logged.
        guard isChanged || report.failures.isEmpty else { return }
        log.log(
            isChanged ? .notice : unchangedLevel, .reloaded,
            isChanged
                ? "applied: \(report.appliedChanges.joined(separator: ", "))"
                : "configuration and storyboards are valid; no change takes effect now",
            ["REPRISE_REASON": reason])
    }
}

extension Reloader {
    /// Reason why an application could not apply its changes.
    struct Failure: Error {
        let sentence: String
    }

    /// Applies changed definitions to all applications concurrently.
    ///
    /// A failure in one application does not affect other applications.
    ///
    /// - Returns: The changes or the failure of each application, in the order of the applications.
    func reload(_ resolvedConfiguration: ResolvedConfiguration) async -> [(
        String, Result<[String], Failure>
    )] {
        let pairs = applications.applications.compactMap { application in
            resolvedConfiguration.definitions.first {
                $0.bundleIdentifier == application.bundleIdentifier
            }
            .map { (application, $0) }
        }
        return await withTaskGroup { group in
            for (index, (application, definition)) in pairs.enumerated() {
                group.addTask { (index, await reload(application, definition)) }
            }
            var resultsByIndex: [Int: Result<[String], Failure>] = [:]
            for await (index, result) in group { resultsByIndex[index] = result }
            return pairs.enumerated().compactMap { index, pair in
                resultsByIndex[index].map { (pair.0.bundleIdentifier, $0) }
            }
        }
    }

    private func reload(
        _ application: Application, _ definition: ApplicationDefinition
    ) async -> Result<[String], Failure> {
        let oldDefinition = await application.definition
        var changedParts: [String] = []
        if oldDefinition.resourceFingerprint != definition.resourceFingerprint {
            changedParts.append("the storyboards of \(application.bundleIdentifier)")
        }
        if oldDefinition.scenes != definition.scenes {
            changedParts.append("the scenes of \(application.bundleIdentifier)")
        }
        if changedParts.isEmpty { return .success([]) }
        do {
            try await application.reload(definition)
            // The change may have fixed the reason why the application could not be launched.
            if case .failed = await application.status().phase { try await application.launch() }
            return .success(changedParts)
        } catch {
            return .failure(Failure(sentence: String(describing: error)))
        }
    }

    // MARK: Changes that wait for a restart

    /// Returns the changes that take effect at the next restart, each as a phrase.
    func changesAtRestart(_ resolvedConfiguration: ResolvedConfiguration) -> [String] {
        let newConfiguration = resolvedConfiguration.loadedConfiguration.configuration
        let ignoresSocket = source.options.socket != nil || source.passedSocketsDescription != nil
        var clauses = ConfigurationKey.all.filter { key in
            key.effect == .atRestart && key.differs(newConfiguration, source.startupConfiguration)
                && !(ignoresSocket && key.name == "control.socket")
        }.map(\.name)
        let hostedIdentifiers = applications.applications.map(\.bundleIdentifier)
        let configuredIdentifiers = newConfiguration.applications.map(\.bundleIdentifier.value)
        for name in configuredIdentifiers where !hostedIdentifiers.contains(name) {
            clauses.append("the application \(name), which was added")
        }
        for name in hostedIdentifiers where !configuredIdentifiers.contains(name) {
            clauses.append("the application \(name), which was removed and runs until then")
        }
        if hostedIdentifiers.filter(configuredIdentifiers.contains)
            != configuredIdentifiers.filter(hostedIdentifiers.contains)
        {
            clauses.append("the order of the applications")
        }
        for name in hostedIdentifiers {
            guard let versionErrors = resolvedConfiguration.deferredStoryboardErrors[name] else {
                continue
            }
            clauses += versionErrors.errors.map {
                "the storyboards of \(name): \($0) A restart of this version would fail with "
                    + "status 78."
            }
        }
        return clauses
    }
}
