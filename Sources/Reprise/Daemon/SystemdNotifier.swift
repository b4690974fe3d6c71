import Preservation
import ServiceLifecycle
import Systemd

/// Service that reports the daemon's status to the service manager, and notifies it that the daemon is ready, alive or
/// stopping.
struct SystemdNotifier: Service {
    /// Time by which the daemon repeatedly extends the manager's timeout during a long launch or reload.
    private static let timeoutExtension = Duration.seconds(20)

    /// Maximum number of applications for which the daemon reports each status change immediately.
    private static let unthrottledApplicationLimit = 50
    /// Pause after each status report if there are more than ``unthrottledApplicationLimit`` applications.
    private static let reportDelay = Duration.milliseconds(500)

    let notifications: ServiceNotificationQueue
    let applications: ApplicationList
    let readiness: Readiness
    let daemonState: DaemonState
    /// Timeout of the manager's watchdog, or `nil` if the watchdog is disabled.
    let watchdogTimeout: Duration?
    /// Clock for timeout extensions and watchdog notifications.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Whether a launch or a reload is in progress.
    private var isLaunchingOrReloading: Bool {
        !readiness.isDaemonReady || daemonState.values.isReloading
    }

    /// Sends notifications until the graceful shutdown begins.
    func run() async throws {
        let (changes, changeContinuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (extensionRequests, extensionContinuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        extensionContinuation.yield()
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await readiness.wait()
                    if readiness.isDaemonReady {
                        notifications.send(.ready, .status(await statusSentence()))
                    }
                }
                group.addTask {
                    for await _ in extensionRequests { await extendTimeout() }
                }
                if let watchdogTimeout {
                    group.addTask { await notifyWatchdog(every: watchdogTimeout / 2) }
                }
                for application in applications.applications {
                    let changes = application.healthChanges
                    group.addTask {
                        for await _ in changes { changeContinuation.yield() }
                    }
                }
                group.addTask {
                    for await _ in daemonState.changes { changeContinuation.yield() }
                }
                for await _ in changes { await reportStatus(extensionContinuation) }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            notifications.send(.stopping, .status("Stopping: saving everything."))
            changeContinuation.finish()
        }
    }

    /// Sends the status after a change.
    private func reportStatus(_ extensionContinuation: AsyncStream<Void>.Continuation) async {
        if isLaunchingOrReloading { extensionContinuation.yield() }
        guard readiness.isDaemonReady, !daemonState.values.isReloading else { return }
        let sentence = await statusSentence()
        // A reload that began while the statuses were collected sends its own status.
        if daemonState.values.isReloading { return }
        notifications.send(.status(sentence))
        // Each report queries every application. If there are many, changes during the pause share one report.
        if applications.applications.count > Self.unthrottledApplicationLimit {
            await cancelWhenGracefulShutdown {
                // The sleep fails only while the service is stopping.
                try? await clock.sleep(for: Self.reportDelay)
            }
        }
    }

    private func statusSentence() async -> String {
        if let (_, problem) = daemonState.values.controlSocketProblems.min(by: { $0.key < $1.key })
        {
            return problem
        }
        return StatusSentence(
            await applications.statuses(), configurationError: daemonState.values.configurationError
        ).text
    }

    /// Repeatedly asks the manager to extend its timeout while a launch or a reload is in progress.
    private func extendTimeout() async {
        while isLaunchingOrReloading {
            do {
                try await clock.sleep(for: Self.timeoutExtension / 2)
            } catch {
                return  // The service is stopping.
            }
            if isLaunchingOrReloading { notifications.send(.extendTimeout(Self.timeoutExtension)) }
        }
    }

    private func notifyWatchdog(every period: Duration) async {
        do {
            while true {
                try await clock.sleep(for: period)
                // The manager starts the watchdog at READY=1, which a launch may delay for a long time.
                guard readiness.isDaemonReady else { continue }
                // The applications' actors must respond before the daemon notifies the manager.
                _ = await applications.statuses()
                notifications.send(.watchdog)
            }
        } catch {
            return  // The service is stopping.
        }
    }
}

/// Sentence that `systemctl status` shows.
struct StatusSentence {
    let text: String

    /// Creates the sentence from the applications' statuses.
    ///
    /// - Parameter configurationError: The errors in the most recently read configuration, or `nil` if the
    ///   configuration is valid. The sentence includes the first line of the errors.
    init(_ statuses: [ApplicationStatus], configurationError: String? = nil) {
        let failureSentences = statuses.compactMap { status -> String? in
            guard case .failed(let reason) = status.phase else { return nil }
            return "\(status.bundleIdentifier) could not be launched: \(reason)"
        }
        let unsavedSentences = statuses.compactMap { status -> String? in
            guard case .notSaved(let reason) = status.saved else { return nil }
            return "\(status.bundleIdentifier) is not saved: \(reason)"
        }
        if let first = (failureSentences + unsavedSentences).first {
            text = first
            return
        }
        let runningApplications = statuses.filter { $0.phase == .running }
        let sceneCount = runningApplications.reduce(0) { count, status in
            count + status.launchedSceneCount
        }
        var text =
            "Hosting \(countPhrase(runningApplications.count, "application")) with "
            + "\(countPhrase(sceneCount, "scene")), everything is saved."
        if let line = configurationError?.split(separator: "\n").first {
            text += " The changed configuration was not applied: \(line)"
        }
        self.text = text
    }
}
