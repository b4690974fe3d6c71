import ExactText
import Glibc
import NIOCore
import Preservation
import RepriseControl
import StateRestoration
import Varlink
import VarlinkServing

/// Methods that operate on the daemon as a whole, and methods that make it exit or crash for a test.
extension ControlImplementation {
    func status(_ context: CallContext) async -> StatusCall.Reply {
        let values = daemonState.values
        let cluster = await applications.cluster?.describe()
        var descriptions: [ApplicationDescription] = []
        for application in applications.applications {
            var description = ApplicationDescription(await application.status())
            await description.setQuarantineSummary(of: application)
            description.ownership = await applications.cluster?.ownership(
                of: application.bundleIdentifier)
            descriptions.append(description)
        }
        return .with {
            $0.program = program.name
            $0.version = program.version
            $0.processIdentifier = Int(getpid())
            $0.started = rfc3339String(startTime)
            $0.stateDirectory = stateDirectory.path
            $0.encryptionKey = stateDirectory.encryptionKey
            $0.configurationError = values.configurationError
            $0.waitingForRestart = values.changesAtRestart
            $0.notWatched = values.notWatched.sorted { $0.key < $1.key }.map { path, reason in
                .with {
                    $0.path = path.text
                    $0.reason = reason
                }
            }
            $0.cluster = cluster
            $0.applications = descriptions
        }
    }

    func metrics(_ call: MetricsCall, _ context: CallContext) async -> MetricsCall.Reply {
        MetricsCall.Reply(text: await metricsText(as: call.format ?? .openmetrics))
    }

    /// Returns the metrics as text.
    func metricsText(as format: MetricsFormat) async -> String {
        metrics.text(
            await applications.statuses(scenesAtMost: 0), connections: clients.count,
            followerCount: feed.followerCount, cluster: await applications.cluster?.metrics(),
            as: format)
    }

    /// Rewrites every file whose encryption does not match the configuration.
    ///
    /// This includes the files of applications that the daemon does not host, so that earlier keys are no longer
    /// needed.
    func rekey(_ context: CallContext) async throws -> RekeyCall.Reply {
        let hosted = applications.applications
        var rekeyedFiles = FileTally()
        for application in hosted where !Task.isCancelled {
            rekeyedFiles.add(await application.rekey())
        }
        rekeyedFiles.add(await stateDirectory.rekey(excluding: hosted.map(\.bundleIdentifier)))
        if Task.isCancelled { throw ControlError.daemonEnding }
        let key = stateDirectory.encryptionKey
        guard rekeyedFiles.failures.isEmpty else {
            throw ControlError.rekeyedInPart(
                key: key, files: rekeyedFiles.count, failures: rekeyedFiles.failures)
        }
        return .with {
            $0.key = key
            $0.files = rekeyedFiles.count
        }
    }

    func list(_ context: CallContext) async -> ListCall.Reply {
        let cluster = applications.cluster
        let applications = await applications.statuses(scenesAtMost: .max).map(
            ApplicationDescription.init)
        var ownerships: [ExactString: OwnershipDescription] = [:]
        for application in applications {
            let name = application.bundleIdentifier
            ownerships[ExactString(name)] = await cluster?.ownership(of: name)
        }
        return .with {
            $0.applications = applications.map { application in
                .with {
                    $0.bundleIdentifier = application.bundleIdentifier
                    $0.phase = application.phase
                    $0.ownership = ownerships[ExactString(application.bundleIdentifier)]
                    $0.scenes = application.scenes.map { scene in
                        .with {
                            $0.name = scene.name
                            $0.phase = scene.phase
                        }
                    }
                }
            }
        }
    }

    func clients(_ context: CallContext) -> ClientsCall.Reply {
        let now = NIODeadline.now()
        return .with { $0.clients = clients.clients.map { ClientDescription($0, now: now) } }
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

extension ApplicationDescription {
    /// Sets the number of items that an application has quarantined since the daemon started, and the name of the last
    /// item.
    fileprivate mutating func setQuarantineSummary(of application: Application) async {
        do throws(ApplicationError) {
            let entries = try await application.newQuarantineEntries()
            quarantinedSinceStart = entries.count
            lastQuarantined = entries.last?.name
        } catch {
            if case .quarantineUnreadable = error { quarantineProblem = "\(error)" }
        }
    }
}

extension ReloadRequestQueue {
    /// Reloads the configuration and returns the result.
    ///
    /// - Throws: ``ControlError`` if not everything was applied.
    func reload() async throws -> ReloadCall.Reply {
        switch await perform(.command) {
        case .done(let report) where report.failures.isEmpty:
            return .with {
                $0.changed = report.changed
                $0.waiting = report.changesAtRestart
            }
        case .done(let report):
            throw ControlError.reloadedInPart(
                changed: report.changed, waiting: report.changesAtRestart, failures: report.failures
            )
        case .refused(let error):
            throw ControlError.configurationRefused(
                problems: error.description.split(separator: "\n").map(String.init))
        case .daemonStopping:
            throw ControlError.daemonEnding
        }
    }
}
