import FileWatching
import Preservation
import ServiceLifecycle
import SystemPackage

/// Notifies applications at once that their archive, a directory above it or one of their documents may have changed
/// (L4, L8).
///
/// The state directory itself is watched too: nothing may be below it yet.
///
/// An application knows its own writes by their identity, so nothing is waited for or left out.
struct ArchiveWatch: Service {
    private let applications: [Application]
    /// Those whose own archive is watched.
    private let watched: [(application: Application, events: FileEvents)]
    /// Events of the applications' documents, as far as they are watched.
    private let documents: [(application: Application, events: FileEvents)]
    /// The events of the state directory's path; nil if the path is not watched.
    private let folderEvents: FileEvents?
    private let log: WatchLog
    private let clock: any Clock<Duration>

    /// Delay after a change of the documents before they are checked, so that a program that removes a whole directory
    /// can finish.
    private static let documentsDelay = Duration.seconds(1)

    /// Begins to watch: what changes from here on is told.
    init(
        _ applications: ApplicationList, below stateDirectory: String,
        by watcher: Result<FileWatcher, FileWatchError>, log: WatchLog,
        clock: any Clock<Duration>
    ) {
        self.log = log
        self.clock = clock
        self.applications = applications.applications
        watched = applications.applications.compactMap { application in
            log.events(
                of: .file(FilePath(application.archivePath)), by: watcher,
                application: application.bundleIdentifier
            ).map { (application, $0) }
        }
        documents = applications.applications.compactMap { application in
            log.events(
                of: .folder(FilePath(application.documentsPath), suffix: ""), by: watcher,
                application: application.bundleIdentifier
            ).map { (application, $0) }
        }
        folderEvents = log.events(of: .file(FilePath(stateDirectory)), by: watcher)
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
                for (application, events) in documents {
                    let debounce = Debounce()
                    group.addTask {
                        for await event in events {
                            log.note(
                                event, of: events, application: application.bundleIdentifier)
                            debounce.note()
                        }
                    }
                    group.addTask {
                        await cancelWhenGracefulShutdown {
                            await debounce.run(for: Self.documentsDelay, on: clock) {
                                await application.checkDocuments()
                            }
                        }
                    }
                }
                if let folderEvents {
                    group.addTask {
                        for await event in folderEvents {
                            log.note(event, of: folderEvents)
                            for application in applications { await application.lookAtArchive() }
                        }
                    }
                }
                // Without anything to watch it would end, and the daemon with it.
                do { try await gracefulShutdown() } catch {}
            }
        } onGracefulShutdown: {
            for (_, events) in watched + documents { events.end() }
            folderEvents?.end()
        }
    }
}
