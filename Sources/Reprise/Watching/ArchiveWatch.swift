import FileWatching
import Preservation
import ServiceLifecycle
import SystemPackage

/// Service that notifies applications immediately when their saved files may have changed (L4, L8).
///
/// The service watches each application's archive, the directories above the archive, and the application's documents.
/// It also watches the state directory itself, which may still be empty.
///
/// An application recognizes its own writes by the identity of the file, so the watch does not have to distinguish them
/// from other writes.
struct ArchiveWatch: Service {
    private let applications: [Application]
    /// Applications whose archives are watched, with the events for each archive.
    private let archiveWatches: [(application: Application, events: FileEventSequence)]
    /// Applications whose documents are watched, with the events for the documents of each application.
    private let documentWatches: [(application: Application, events: FileEventSequence)]
    /// Events for the path of the state directory, or `nil` if the path is not watched.
    private let stateDirectoryEvents: FileEventSequence?
    private let watchStatus: WatchStatusRecorder
    private let clock: any Clock<Duration>

    /// Delay between a change to the documents and the resulting check.
    ///
    /// The delay allows a program to finish removing a whole directory.
    private static let documentsDelay = Duration.seconds(1)

    /// Creates the service, and starts watching immediately.
    init(
        _ applications: ApplicationList, below stateDirectory: String,
        by watcher: Result<FileWatcher, FileWatchError>, watchStatus: WatchStatusRecorder,
        clock: any Clock<Duration>
    ) {
        self.watchStatus = watchStatus
        self.clock = clock
        self.applications = applications.applications
        archiveWatches = applications.applications.compactMap { application in
            watchStatus.events(
                of: .file(FilePath(application.archivePath)), by: watcher,
                application: application.bundleIdentifier
            ).map { (application, $0) }
        }
        documentWatches = applications.applications.compactMap { application in
            watchStatus.events(
                of: .directory(FilePath(application.documentsPath), suffix: ""), by: watcher,
                application: application.bundleIdentifier
            ).map { (application, $0) }
        }
        stateDirectoryEvents = watchStatus.events(of: .file(FilePath(stateDirectory)), by: watcher)
    }

    /// Notifies the applications until the graceful shutdown begins.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for (application, events) in archiveWatches {
                    group.addTask {
                        for await event in events {
                            watchStatus.update(
                                event, of: events, application: application.bundleIdentifier)
                            await application.checkArchive()
                        }
                    }
                }
                for (application, events) in documentWatches {
                    let coalescer = EventCoalescer()
                    group.addTask {
                        for await event in events {
                            watchStatus.update(
                                event, of: events, application: application.bundleIdentifier)
                            coalescer.recordEvent()
                        }
                    }
                    group.addTask {
                        await cancelWhenGracefulShutdown {
                            await coalescer.run(for: Self.documentsDelay, on: clock) {
                                await application.checkDocuments()
                            }
                        }
                    }
                }
                if let stateDirectoryEvents {
                    group.addTask {
                        for await event in stateDirectoryEvents {
                            watchStatus.update(event, of: stateDirectoryEvents)
                            for application in applications { await application.checkArchive() }
                        }
                    }
                }
                // Without this wait, the service would return if there were nothing to watch, and the daemon would
                // stop.
                do { try await gracefulShutdown() } catch {}
            }
        } onGracefulShutdown: {
            for (_, events) in archiveWatches + documentWatches { events.end() }
            stateDirectoryEvents?.end()
        }
    }
}
