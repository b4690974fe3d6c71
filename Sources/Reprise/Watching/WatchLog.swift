import ExactText
import FileWatching
import Logging
import SystemPackage

/// Tells which files are not watched, or not wholly: each time that this changes in the log, and in
/// the daemon's condition.
struct WatchLog: Sendable {
    let condition: DaemonCondition
    let log: DaemonLog

    /// - Parameter reason: why changes of a path are not all noticed; nil if they are.
    func note(_ path: String, _ reason: String?, application: String? = nil) {
        guard condition.update({ $0.notWatched[path] = reason }) else { return }
        let fields = application.map { ["REPRISE_APPLICATION": $0] } ?? [:]
        if let reason {
            log.tell(.warning, .notWatched, "watching is off for \(path): \(reason)", fields)
        } else {
            log.tell(.notice, .watched, "\(path) is watched again", fields)
        }
    }

    /// Watches one target; nil if that is not possible, which is told.
    func events(
        of target: FileTarget, by watcher: Result<FileWatcher, FileWatchError>,
        application: String? = nil
    ) -> FileEvents? {
        let path = target.path.string
        do throws(FileWatchError) {
            let events = try watcher.get().watch([target])
            if let fileSystem = events.unreliable[target] {
                note(
                    path, "it is on \(fileSystem), which does not report changes by other machines",
                    application: application)
            }
            return events
        } catch {
            note(path, error.description, application: application)
            return nil
        }
    }

    /// Takes down what an event says of the watching.
    func note(_ event: FileEvent, of events: FileEvents, application: String? = nil) {
        if events.unreliable[event.target] != nil { return }
        note(event.target.path.string, event.failure?.description, application: application)
    }
}
