import ServiceLifecycle
import Systemd
import UnixSignals

/// Service that reloads the configuration after a SIGHUP, a client's request, or a change to a file.
///
/// Reloads begin only when the daemon is ready.
struct ReloadService: Service {
    let reloader: Reloader
    let requests: ReloadRequestQueue
    /// Whether SIGHUP requests a reload.
    var handlesSignals = true
    let watch: ConfigurationWatch
    let readiness: Readiness
    let notifications: ServiceNotificationQueue

    /// Serves requests until the graceful shutdown begins.
    func run() async throws {
        // Waiting callers receive a reply even if the task is cancelled.
        defer { requests.end() }
        await withGracefulShutdownHandler {
            await withTaskGroup { group in
                if handlesSignals { group.addTask { await handleSignals() } }
                // If a reload sent READY=1 during the launch, the service manager would assume that the launch is
                // complete.
                await readiness.wait()
                if readiness.isDaemonReady { group.addTask { await watch.run() } }
                while let batch = await requests.next() {
                    batch.complete(
                        Task.isCancelled ? .daemonStopping : await performReload(batch.triggers))
                }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            requests.end()
            readiness.end()
        }
    }

    private func handleSignals() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { requests.enqueue(.signal) }
    }

    /// Reloads the configuration, and notifies the service manager if a signal or a client requested the reload.
    ///
    /// A change to a file causes no notification, because the service manager might then reload other units as well.
    private func performReload(_ triggers: [ReloadTrigger]) async -> ReloadOutcome {
        let isRequested = triggers.contains(.signal) || triggers.contains(.command)
        if isRequested {
            notifications.send(
                .reloading, .status("Reading configuration and storyboards."))
        }
        let outcome = await reloader.reload(because: triggers)
        if isRequested {
            let sentence = StatusSentence(
                await reloader.applications.statuses(),
                configurationError: reloader.daemonState.values.configurationError)
            notifications.send(.ready, .status(sentence.text))
        }
        return outcome
    }
}
