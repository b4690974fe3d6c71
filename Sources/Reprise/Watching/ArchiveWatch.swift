import FileWatching
import Preservation
import ServiceLifecycle
import SystemPackage

/// Tells applications at once that their archive, or a folder above it, may have changed (L4, L8).
///
/// An application knows its own writes by their identity, so nothing is waited for or left out.
struct ArchiveWatch: Service {
    private let watched: [(application: Application, events: FileEvents)]
    private let log: WatchLog

    /// Begins to watch: what changes from here on is told.
    init(
        _ applications: ApplicationList, by watcher: Result<FileWatcher, FileWatchError>,
        log: WatchLog
    ) {
        self.log = log
        watched = applications.applications.compactMap { application in
            log.events(
                of: .file(FilePath(application.archivePath)), by: watcher,
                application: application.bundleIdentifier
            ).map { (application, $0) }
        }
    }

    /// Tells until the graceful shutdown.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for (application, events) in watched {
                    group.addTask {
                        for await event in events {
                            log.note(
                                event, of: events, application: application.bundleIdentifier)
                            await application.lookAtArchive()
                        }
                    }
                }
                // Without anything to watch it would end, and the daemon with it.
                do { try await gracefulShutdown() } catch {}
            }
        } onGracefulShutdown: {
            for (_, events) in watched { events.end() }
        }
    }
}
