import FileWatching
import Preservation
import ServiceLifecycle
import SystemPackage

/// Service that notifies applications immediately when their saved files may have changed (L4, L8).
///
/// It watches each application's archive, the directories above the archive, and the application's documents. It
/// also watches the state directory itself, because the directory may still be empty.
///
/// An application recognizes its own writes by the identity of the file, so the watch neither waits for writes nor
/// ignores them.
struct ArchiveWatch: Service {
    private let applications: [Application]
    /// Applications whose archive is watched, with the events of the archive.
    private let watched: [(application: Application, events: FileEvents)]
    /// Applications whose documents are watched, with the events of the documents.
    private let documents: [(application: Application, events: FileEvents)]
    /// Events of the state directory's path, or `nil` if the path is not watched.
    private let folderEvents: FileEvents?
    private let log: WatchLog
    private let clock: any Clock<Duration>

    /// Delay after a change of the documents before they are checked.
    ///
    /// The delay allows a program that removes a whole directory to finish.
    private static let documentsDelay = Duration.seconds(1)

    /// Creates the service, and starts to watch immediately.
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

    /// Notifies the applications until the graceful shutdown.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for (application, events) in watched {
                    group.addTask {
                        for await event in events {
                            log.update(
                                event, of: events, application: application.bundleIdentifier)
                            await application.checkArchive()
                        }
                    }
                }
                for (application, events) in documents {
                    let debounce = Debounce()
                    group.addTask {
                        for await event in events {
                            log.update(
                                event, of: events, application: application.bundleIdentifier)
                            debounce.recordEvent()
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
                            log.update(event, of: folderEvents)
                            for application in applications { await application.checkArchive() }
                        }
                    }
                }
                // Without this, the service would return if there is nothing to watch, and the daemon would stop.
                do { try await gracefulShutdown() } catch {}
            }
        } onGracefulShutdown: {
            for (_, events) in watched + documents { events.end() }
            folderEvents?.end()
        }
    }
}
