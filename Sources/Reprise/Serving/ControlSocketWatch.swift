import ExactText
import FileWatching
import LinuxIO
import Logging
import Synchronization
import SystemPackage
import VarlinkServing

/// Watch that recreates a control socket if another program removes its file.
///
/// The file of a socket that the service manager passed belongs to the socket unit. If that file is removed while the
/// daemon runs, the daemon only reports the problem, and recreates the socket when it starts again.
struct ControlSocketWatch: Sendable {
    let server: VarlinkServer
    let controlSockets: ControlSockets
    let watcher: Result<FileWatcher, FileWatchError>
    let watchStatus: WatchStatusRecorder
    let clock: any Clock<Duration>

    /// Delay before the daemon reports that a passed socket is missing.
    ///
    /// If the manager stops the socket unit and the service together, it removes the file first.
    private static let missingSocketDelay = Duration.seconds(1)

    /// Watches the path of each socket until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for path in controlSockets.paths {
                guard let events = watchStatus.events(of: .file(FilePath(path)), by: watcher) else {
                    continue
                }
                group.addTask {
                    // The socket may have been removed before the watch began.
                    await checkSocket(path)
                    for await event in events {
                        watchStatus.update(event, of: events)
                        await checkSocket(path)
                    }
                }
            }
        }
    }

    /// Recreates each socket that clients cannot reach, including sockets that the service manager passed.
    func createMissingSockets() async {
        for path in controlSockets.paths where unreachableSocket(path) != nil {
            await recreateSocket(path)
        }
    }

    /// Creates a socket and any missing directories above it, and listens on the socket.
    ///
    /// - Throws: `IOError` or `ListenError`.
    func listen(at path: String) async throws {
        _ = try Directory.openOrCreate(path.containingDirectory)
        try await server.listen(path: path, mode: controlSockets.mode)
    }

    private func unreachableSocket(_ path: String) -> VarlinkServer.UnreachableSocket? {
        server.unreachableSockets.first { $0.path == path }
    }

    private func checkSocket(_ path: String) async {
        guard let socket = unreachableSocket(path) else { return reportProblem(nil, path) }
        guard socket.isInherited else { return await recreateSocket(path) }
        do {
            try await clock.sleep(for: Self.missingSocketDelay)
        } catch {
            return  // The daemon is stopping.
        }
        if unreachableSocket(path) != nil {
            reportProblem(
                "The control socket \(path) is missing, so clients cannot reach the daemon; restart the service",
                path)
        }
    }

    private func recreateSocket(_ path: String) async {
        do {
            try await listen(at: path)
            reportProblem(nil, path)
            watchStatus.log.log(
                .warning, .controlSocketCreated,
                "The control socket \(path) was missing and has been created again",
                ["REPRISE_FILE": path])
        } catch ListenError.stopped {
            // A stopping daemon needs no socket.
        } catch {
            reportProblem(
                "The control socket \(path) is missing, so clients cannot reach the daemon; restart the "
                    + "service. It cannot be created again: \(error)", path)
        }
    }

    /// Updates the problem shown in the service's status, and logs the problem if it is new.
    private func reportProblem(_ problem: String?, _ path: String) {
        let isNew = watchStatus.daemonState.update {
            $0.controlSocketProblems[ExactString(path)] = problem
        }
        if isNew, let problem {
            watchStatus.log.log(.error, .controlSocketMissing, problem, ["REPRISE_FILE": path])
        }
    }
}
