import ExactText
import Glibc
import NIOCore
import Preservation
import RepriseControl
import StateRestoration
import Varlink
import VarlinkServing

/// Methods that operate on the daemon as a whole, and methods that make it exit or crash for tests.
extension ControlImplementation {
    func status(_ context: CallContext) async -> StatusCall.Reply {
        let values = daemonState.values
        let cluster = await applications.cluster?.describe()
        var descriptions: [ApplicationDescription] = []
        for application in applications.applications {
            var description = ApplicationDescription(await application.status())
            do throws(ApplicationError) {
                let entries = try await application.newQuarantineEntries()
                description.quarantinedSinceStart = entries.count
                description.lastQuarantined = entries.last?.name
            } catch {
                if case .quarantineUnreadable = error { description.quarantineProblem = "\(error)" }
            }
            description.ownership = await applications.cluster?.ownership(
                of: application.bundleIdentifier)
            descriptions.append(description)
        }
        return StatusCall.Reply(
            program: program.name, version: program.version, processIdentifier: Int(getpid()),
            started: rfc3339String(startTime), stateDirectory: stateDirectory.path,
            encryptionKey: stateDirectory.encryptionKey,
            configurationError: values.configurationError,
            waitingForRestart: values.changesAtRestart,
            notWatched: values.watchProblems.sorted { $0.key < $1.key }.map {
                NotWatched(path: $0.key.text, reason: $0.value)
            },
            cluster: cluster, applications: descriptions)
    }

    func metrics(_ call: MetricsCall, _ context: CallContext) async -> MetricsCall.Reply {
        MetricsCall.Reply(text: await metricsText(as: call.format ?? .openmetrics))
    }

    /// Returns the metrics as text.
    func metricsText(as format: MetricsFormat) async -> String {
        metrics.text(
            await applications.statuses(scenesAtMost: 0), connectionCount: connectionRegistry.count,
            followerCount: feed.followerCount, cluster: await applications.cluster?.metrics(),
            as: format)
    }

    /// Rewrites every file whose encryption does not match the configuration.
    ///
    /// This includes the files of applications that the daemon does not host, so that no earlier key is needed any
    /// longer.
    func rekey(_ context: CallContext) async throws -> RekeyCall.Reply {
        let hostedApplications = applications.applications
        var rekeyedFiles = FileTally()
        for application in hostedApplications where !Task.isCancelled {
            rekeyedFiles.add(await application.rekey())
        }
        rekeyedFiles.add(
            await stateDirectory.rekey(excluding: hostedApplications.map(\.bundleIdentifier)))
        if Task.isCancelled { throw ControlError.daemonEnding }
        let key = stateDirectory.encryptionKey
        guard rekeyedFiles.failures.isEmpty else {
            throw ControlError.rekeyedInPart(
                key: key, files: rekeyedFiles.count, failures: rekeyedFiles.failures)
        }
        return RekeyCall.Reply(key: key, files: rekeyedFiles.count)
    }

    func list(_ context: CallContext) async -> ListCall.Reply {
        var listedApplications: [ListedApplication] = []
        for status in await applications.statuses(scenesAtMost: .max) {
            let application = ApplicationDescription(status)
            listedApplications.append(
                ListedApplication(
                    bundleIdentifier: application.bundleIdentifier, phase: application.phase,
                    scenes: application.scenes.map { ListedScene(name: $0.name, phase: $0.phase) },
                    ownership: await applications.cluster?.ownership(
                        of: application.bundleIdentifier)))
        }
        return ListCall.Reply(applications: listedApplications)
    }

    func clients(_ context: CallContext) -> ClientsCall.Reply {
        let now = NIODeadline.now()
        return ClientsCall.Reply(
            clients: connectionRegistry.clients.map { ClientDescription($0, now: now) })
    }

    func reload(_ context: CallContext) async throws -> ReloadCall.Reply {
        guard let reloadRequests else {
            throw VarlinkError.methodNotImplemented(ReloadCall.qualifiedMethod)
        }
        return try await reloadRequests.reload()
    }

    func debugExit(_ call: DebugExitCall, _ context: CallContext) async throws {
        guard let code = UInt8(exactly: call.status ?? 0) else {
            throw VarlinkError.invalidParameter("status")
        }
        try await armDebugExit(.exit(code: Int32(code)), at: call.stage, of: call)
    }

    func debugTrap(_ call: DebugTrapCall, _ context: CallContext) async throws {
        try await armDebugExit(.trap, at: call.stage, of: call)
    }

    private func armDebugExit(
        _ action: DebugExitAction, at name: String, of call: some ApplicationCall
    ) async throws {
        guard daemonState.values.configuration.debug.allowsDebugExit else {
            throw ControlError.debugExitsNotAllowed
        }
        guard let stage = Stage(rawValue: name) else {
            throw ControlError.noSuchStage(stage: name, stages: Stage.allCases.map(\.rawValue))
        }
        try await applications.find(call.application).armDebugExit(stage: stage, action: action)
    }
}

extension ReloadRequestQueue {
    /// Reloads the configuration and returns the result.
    ///
    /// - Throws: ``ControlError`` if some changes were not applied.
    func reload() async throws -> ReloadCall.Reply {
        switch await perform(.command) {
        case .done(let report) where report.failures.isEmpty:
            return ReloadCall.Reply(
                changed: report.appliedChanges, waiting: report.changesAtRestart)
        case .done(let report):
            throw ControlError.reloadedInPart(
                changed: report.appliedChanges, waiting: report.changesAtRestart,
                failures: report.failures
            )
        case .refused(let error):
            throw ControlError.configurationRefused(
                problems: error.description.split(separator: "\n").map(String.init))
        case .daemonStopping:
            throw ControlError.daemonEnding
        }
    }
}
