import ServiceLifecycle
import Systemd
import UnixSignals

/// Carries out the reloads that SIGHUP, clients and watched files ask for, once the daemon is
/// ready.
struct ReloadService: Service {
    let reloader: Reloader
    let requests: ReloadRequests
    /// Whether SIGHUP asks for one.
    var takesSignals = true
    let watch: ConfigurationWatch
    let readiness: Readiness
    let notifications: NotificationQueue

    /// Carries them out until the graceful shutdown.
    func run() async throws {
        // Also when it is cancelled: whoever waits is to be answered.
        defer { requests.end() }
        await withGracefulShutdownHandler {
            await withTaskGroup { group in
                if takesSignals { group.addTask { await takeSignals() } }
                // READY=1 would tell that the launch has ended.
                await readiness.wait()
                if readiness.isSignalled { group.addTask { await watch.run() } }
                while let batch = await requests.next() {
                    batch.answer(Task.isCancelled ? .ending : await carryOut(batch.triggers))
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            requests.end()
            readiness.end()
        }
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
