import FileWatching
import Synchronization
import SystemPackage

/// Watch that requests a reload when a configuration file or a storyboard has changed.
struct ConfigurationWatch: Sendable {
    /// Time for which further changes are collected after the first change, so that several steps of an editor cause
    /// only one reload.
    static let debounceInterval = Duration.milliseconds(50)

    let source: ConfigurationSource
    let watcher: Result<FileWatcher, FileWatchError>
    let requests: ReloadRequestQueue
    let watchStatus: WatchStatusRecorder

    /// Files and directories to watch: the configuration file, the drop-ins and the storyboards at each possible
    /// location.
    private var targets: [FileTarget] {
        source.searchLocations.flatMap { location -> [FileTarget] in
            [
                .file(FilePath(location.file)),
                .directory(FilePath(location.dropInsDirectory), suffix: ".yaml"),
                .directory(FilePath(location.storyboardsDirectory), suffix: ".yaml"),
            ]
        }
    }

    /// Watches until the task is cancelled.
    ///
    /// As soon as the watch is active, this method requests a reload, because files may have changed since the daemon
    /// read them at startup.
    func run() async {
        let coalescer = EventCoalescer()
        await withDiscardingTaskGroup { group in
            for target in targets {
                guard let events = watchStatus.events(of: target, by: watcher) else { continue }
                group.addTask {
                    for await event in events {
                        watchStatus.update(event, of: events)
                        coalescer.recordEvent()
                    }
                }
            }
            requests.enqueue(.start)
            await coalescer.run(for: Self.debounceInterval, on: source.clock) {
                requests.enqueue(.change)
            }
        }
    }
}

/// Debouncer that combines all events in a fixed period after the first event.
///
/// Later events do not extend the period, so the closure passed to `run` is called even if events never stop.
final class EventCoalescer: Sendable {
    private let isEventPending = Mutex(false)
    private let wakeUps = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Records an event.
    func recordEvent() {
        let isFirst = isEventPending.withLock { isEventPending in
            defer { isEventPending = true }
            return !isEventPending
        }
        if isFirst { wakeUps.continuation.yield() }
    }

    /// Calls a closure at the end of each period until the task is cancelled.
    ///
    /// Only one task may call this method.
    func run(
        for period: Duration, on clock: any Clock<Duration>, _ body: () async -> Void
    ) async {
        for await _ in wakeUps.stream {
            do {
                try await clock.sleep(for: period)
            } catch {
                return  // The task was cancelled.
            }
            // The body may miss an event that occurs while it is running, so such an event starts another period.
            isEventPending.withLock { $0 = false }
            await body()
        }
    }
}
