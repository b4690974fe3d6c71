import FileWatching
import Synchronization
import SystemPackage

/// Watch that requests a reload when a configuration file or a storyboard has changed.
struct ConfigurationWatch: Sendable {
    /// Time for which further changes are collected after the first, so that several steps of an editor cause one
    /// reload.
    static let rest = Duration.milliseconds(50)

    let source: ConfigurationSource
    let watcher: Result<FileWatcher, FileWatchError>
    let requests: ReloadRequests
    let log: WatchLog

    /// Files and directories to watch, which are the configuration file, the drop-ins and the storyboards at each
    /// possible location.
    private var targets: [FileTarget] {
        source.places.flatMap { place -> [FileTarget] in
            [
                .file(FilePath(place.file)),
                .folder(FilePath(place.dropIns), suffix: ".yaml"),
                .folder(FilePath(place.storyboards), suffix: ".yaml"),
            ]
        }
    }

    /// Watches until the task is cancelled.
    ///
    /// After the watch is active, it requests a reload, because files may have changed since the daemon read them
    /// on startup.
    func run() async {
        let debounce = Debounce()
        await withDiscardingTaskGroup { group in
            for target in targets {
                guard let events = log.events(of: target, by: watcher) else { continue }
                group.addTask {
                    for await event in events {
                        log.update(event, of: events)
                        debounce.recordEvent()
                    }
                }
            }
            requests.ask(.start)
            await debounce.run(for: Self.rest, on: source.clock) { requests.ask(.change) }
        }
    }
}

/// Debounce that combines all events in a fixed period after the first event.
///
/// Later events do not extend the period, so the body is also called while events occur continuously.
final class Debounce: Sendable {
    private let isEventPending = Mutex(false)
    private let signals = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Records an event.
    func recordEvent() {
        let isFirst = isEventPending.withLock { isEventPending in
            defer { isEventPending = true }
            return !isEventPending
        }
        if isFirst { signals.continuation.yield() }
    }

    /// Calls a body at the end of each period until the task is cancelled. Only one task may call this function.
    func run(
        for time: Duration, on clock: any Clock<Duration>, _ body: () async -> Void
    ) async {
        for await _ in signals.stream {
            do {
                try await clock.sleep(for: time)
            } catch {
                return  // The task was cancelled.
            }
            // The body may miss an event that occurs while it runs, so that event starts another period.
            isEventPending.withLock { $0 = false }
            await body()
        }
    }
}
