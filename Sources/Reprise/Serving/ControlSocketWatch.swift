import ExactText
import FileWatching
import LinuxIO
import Logging
import Synchronization
import SystemPackage
import VarlinkServing

/// Creates a control socket again after another program removed it.
///
/// The daemon makes a new socket also in the place of one that the service manager passed, if the permissions allow
/// it: the manager makes a new one only when the socket unit is restarted.
struct ControlSocketWatch: Sendable {
    let server: VarlinkServer
    let address: ControlAddress
    let watcher: Result<FileWatcher, FileWatchError>
    let watchLog: WatchLog

    /// Watches the path of each socket until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for path in address.paths {
                guard let events = watchLog.events(of: .file(FilePath(path)), by: watcher) else {
                    continue
                }
                group.addTask {
                    // The socket may have been removed before the watch began.
                    await createMissingSocket(at: path)
                    for await event in events {
                        watchLog.note(event, of: events)
                        await createMissingSocket(at: path)
                    }
                }
            }
        }
    }

    /// Creates every socket that clients cannot reach.
    func createMissingSockets() async {
        for path in address.paths { await createMissingSocket(at: path) }
    }

    /// Makes a socket, and every missing directory above it, and listens.
    ///
    /// - Throws: `IOError` or `ListenError`.
    func listen(at path: String) async throws {
        _ = try Directory.openOrMake(path.containingFolder)
        try await server.listen(path: path, mode: address.mode)
    }

    private func createMissingSocket(at path: String) async {
        guard server.unreachablePaths.contains(path) else { return }
        do {
            try await listen(at: path)
            reportProblem(nil)
            watchLog.log.tell(
                .warning, .controlSocketCreated,
                "The control socket \(path) was missing and has been created again",
                ["REPRISE_FILE": path])
        } catch ListenError.stopped {
            // A daemon that stops needs no socket.
        } catch {
            let problem =
                "The control socket \(path) is missing, so clients cannot reach the daemon; restart the "
                + "service. It cannot be created again: \(error)"
            guard reportProblem(problem) else { return }
            watchLog.log.tell(
                .error, .controlSocketMissing, problem, ["REPRISE_FILE": path])
        }
    }

    /// Sets the problem that the status of the service shows.
    ///
    /// - Returns: Whether the problem differs from the earlier one.
    @discardableResult
    private func reportProblem(_ problem: String?) -> Bool {
        watchLog.condition.update { $0.controlSocketProblem = problem }
    }
}
