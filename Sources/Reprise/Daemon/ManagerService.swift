import Preservation
import ServiceLifecycle
import Systemd

/// Tells the service manager how the daemon is: ready, its status, alive, stopping.
struct ManagerService: Service {
    /// How long the manager is asked to wait, again and again, while a launch or a reload takes
    /// long.
    private static let patience = Duration.seconds(20)

    /// With more applications the status is told once in a while.
    private static let few = 50
    /// How long changes gather then.
    private static let pause = Duration.milliseconds(500)

    let notifications: NotificationQueue
    let applications: ApplicationList
    let readiness: Readiness
    let condition: DaemonCondition
    /// How long the manager waits for a sign of life; nil if it keeps no watchdog.
    let watchdogPeriod: Duration?
    /// Counts the manager's patience and its watchdog.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Whether a launch or a reload goes on.
    private var mayTakeLong: Bool { !readiness.isSignalled || condition.values.isReloading }

    /// Reports until the graceful shutdown.
    func run() async throws {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (waits, wait) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wait.yield()
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await readiness.wait()
                    if readiness.isSignalled {
                        notifications.send(.ready, .status(await sentence()))
                    }
                }
                group.addTask {
                    for await _ in waits { await askForPatience() }
                }
                if let watchdogPeriod {
                    group.addTask { await showLife(every: watchdogPeriod / 2) }
                }
                for application in applications.applications {
                    let changes = application.changes
                    group.addTask {
                        for await _ in changes { change.yield() }
                    }
                }
                group.addTask {
                    for await _ in condition.changes { change.yield() }
                }
                for await _ in changes { await report(wait) }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            notifications.send(.stopping, .status("Stopping: saving everything."))
            change.finish()
        }
    }

    /// Tells the status after a change.
    private func report(_ wait: AsyncStream<Void>.Continuation) async {
        if mayTakeLong { wait.yield() }
        guard readiness.isSignalled, !condition.values.isReloading else { return }
        let sentence = await sentence()
        // A reload, which may have begun while the applications answered, reports its own status.
        if condition.values.isReloading { return }
        notifications.send(.status(sentence))
        // Every application was asked: where there are many that is not done for each change of each.
        if applications.applications.count > Self.few {
            await cancelWhenGracefulShutdown {
                do { try await clock.sleep(for: Self.pause) } catch {}  // The service ends.
            }
        }
    }

    private func sentence() async -> String {
        if let (_, problem) = condition.values.controlSocketProblems.min(by: { $0.key < $1.key }) {
            return problem
        }
        return StatusSentence(
            await applications.statuses(), configurationError: condition.values.configurationError
        ).text
    }

    /// Asks the manager to wait, again and again, for as long as a launch or a reload goes on.
    private func askForPatience() async {
        while mayTakeLong {
            do {
                try await clock.sleep(for: Self.patience / 2)
            } catch {
                return  // The sleep ends early only when the service does.
            }
            if mayTakeLong { notifications.send(.extendTimeout(Self.patience)) }
        }
    }

    private func showLife(every period: Duration) async {
        do {
            while true {
                try await clock.sleep(for: period)
                // The manager counts from READY=1 on, and a launch may take long.
                guard readiness.isSignalled else { continue }
                // The applications' actors have to answer before the manager is told.
                _ = await applications.statuses()
                notifications.send(.watchdog)
            }
        } catch {
            return  // The sleep ends early only when the service does.
        }
    }
}

/// The one plain sentence that `systemctl status` shows.
struct StatusSentence {
    let text: String

    /// - Parameter configurationError: what is wrong with the configuration that was read last, of
    ///   which the first line is told; nil if nothing is.
    init(_ statuses: [ApplicationStatus], configurationError: String? = nil) {
        let failed = statuses.compactMap { status -> String? in
            guard case .failed(let reason) = status.phase else { return nil }
            return "\(status.bundleIdentifier) could not be launched: \(reason)"
        }
        let unsaved = statuses.compactMap { status -> String? in
            guard case .notSaved(let reason) = status.saved else { return nil }
            return "\(status.bundleIdentifier) is not saved: \(reason)"
        }
        if let first = (failed + unsaved).first {
            text = first
            return
        }
        let running = statuses.filter { $0.phase == .running }
        let scenes = running.reduce(0) { count, status in
            count + status.launchedSceneCount
        }
        var text =
            "Hosting \(Self.count(running.count, "application")) with "
            + "\(Self.count(scenes, "scene")), everything is saved."
        if let line = configurationError?.split(separator: "\n").first {
            text += " The changed configuration was not applied: \(line)"
        }
        self.text = text
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
