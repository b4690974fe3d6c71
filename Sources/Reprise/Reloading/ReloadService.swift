import LinuxIO
import ServiceLifecycle
import Systemd
import UnixSignals

/// Carries out the reloads that SIGHUP, clients and watched files ask for, once the daemon is
/// ready.
struct ReloadService: Service {
    /// How long after a reload most of what it brought about has been saved and told.
    private static let rest = Duration.seconds(30)

    let reloader: Reloader
    let requests: ReloadRequests
    let watch: ConfigurationWatch
    let readiness: Readiness
    let notifications: NotificationQueue

    /// Carries them out until the graceful shutdown.
    func run() async throws {
        // Also when it is cancelled: whoever waits is to be answered.
        defer { requests.end() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await takeSignals() }
                // READY=1 would tell that the launch has ended.
                await readiness.wait()
                if readiness.isSignalled { group.addTask { await watch.run() } }
                while let batch = await requests.next() {
                    batch.answer(Task.isCancelled ? .ending : await carryOut(batch.triggers))
                    group.addTask { await releaseCode() }
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            requests.end()
            readiness.end()
        }
    }

    /// Gives back the code that the start or a reload ran, and nothing else does, as soon as the
    /// first intervals after it have passed.
    private func releaseCode() async {
        do {
            try await watch.source.clock.sleep(for: Self.rest)
        } catch {
            return  // The sleep ends early only when the service does.
        }
        ProgramCode.release()
    }

    private func takeSignals() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { requests.ask(.signal) }
    }

    /// What somebody asked for is a reload to the service manager too; what a changed file brings
    /// about is none, so that no other unit is reloaded with it.
    private func carryOut(_ triggers: [ReloadTrigger]) async -> ReloadOutcome {
        let isTold = triggers.contains(.signal) || triggers.contains(.command)
        if isTold {
            notifications.send(
                .reloading, .status("Reading configuration and storyboards."))
        }
        let outcome = await reloader.reload(because: triggers)
        if isTold {
            let sentence = StatusSentence(
                await reloader.applications.statuses(),
                configurationError: reloader.condition.values.configurationError)
            notifications.send(.ready, .status(sentence.text))
        }
        return outcome
    }
}
