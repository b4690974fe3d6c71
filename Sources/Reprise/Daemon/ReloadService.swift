import Logging
import ServiceLifecycle
import Systemd
import UnixSignals

/// Answers SIGHUP, which `systemctl reload` sends: reads and checks the configuration again.
///
/// What changed takes effect at the next restart; a configuration that could not be started with is
/// told now, while the daemon still runs.
struct ReloadService: Service {
    let offered: [HostedApplication]
    let options: DaemonOptions
    let environment: [String: String]
    let readiness: Readiness
    let notifier: Notifier
    let logger: Logger

    /// Answers signals until the graceful shutdown.
    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            guard readiness.isSignalled else {
                // READY=1 would tell that the launch has ended; the launch reads everything anyway.
                logger.notice(
                    "the daemon is still launching: send the signal again when it is ready")
                continue
            }
            tell(.reloading)
            do {
                _ = try HostAssembly(
                    offered: offered, options: options, environment: environment)
                logger.notice(
                    "the configuration is sound; what changed takes effect at the next restart")
            } catch {
                logger.error("the configuration has errors, the running one stays: \(error)")
            }
            tell(.ready)
        }
    }

    private func tell(_ notification: Systemd.Notification) {
        do {
            try notifier.send(notification)
        } catch {
            logger.warning("systemd could not be told: \(error)")
        }
    }
}
