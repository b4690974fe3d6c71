import ExactText
import FileWatching
import Logging
import SystemPackage

/// Recorder for files that cannot be watched reliably.
///
/// The recorder logs each change and stores it in the daemon's state.
struct WatchStatusRecorder: Sendable {
    let daemonState: DaemonState
    let log: DaemonLog

    /// Records whether a path is watched.
    ///
    /// - Parameter reason: The reason why changes at the path may not be detected, or `nil` if the watch is reliable.
    func update(_ path: String, _ reason: String?, application: String? = nil) {
        guard daemonState.update({ $0.watchProblems[path] = reason }) else { return }
        let fields = application.map { ["REPRISE_APPLICATION": $0] } ?? [:]
        if let reason {
            log.log(.warning, .watchUnreliable, "watching is off for \(path): \(reason)", fields)
        } else {
            log.log(.notice, .watchRestored, "\(path) is watched again", fields)
        }
    }

    /// Watches a target, or logs the reason and returns `nil` if the target cannot be watched.
    func events(
        of target: FileTarget, by watcher: Result<FileWatcher, FileWatchError>,
        application: String? = nil
    ) -> FileEventSequence? {
        let path = target.path.string
        do throws(FileWatchError) {
            let events = try watcher.get().watch([target])
            if let fileSystem = events.unreliableFileSystems[target] {
                update(
                    path, "it is on \(fileSystem), which does not report changes by other machines",
                    application: application)
            }
            return events
        } catch {
            update(path, error.description, application: application)
            return nil
        }
    }

    /// Records whether an event's target is still watched reliably.
    func update(_ event: FileEvent, of events: FileEventSequence, application: String? = nil) {
        if events.unreliableFileSystems[event.target] != nil { return }
        update(event.target.path.string, event.failure?.description, application: application)
    }
}
