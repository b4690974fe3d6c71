import FileWatching
import Synchronization
import SystemPackage

/// Asks for a reload when a file of the configuration, or a storyboard, has changed.
struct ConfigurationWatch: Sendable {
    /// How long after the first change more are waited for: what an editor does in several steps is
    /// one reload.
    static let rest = Duration.milliseconds(50)

    let source: ConfigurationSource
    let watcher: Result<FileWatcher, FileWatchError>
    let requests: ReloadRequests
    let log: WatchLog

    /// What is watched: in each place where a configuration is looked for the file, its drop-ins
    /// and the storyboards.
    private var targets: [FileTarget] {
        source.places.flatMap { place -> [FileTarget] in
            [
                .file(FilePath(place.file)),
                .folder(FilePath(place.dropIns), suffix: ".yaml"),
                .folder(FilePath(place.storyboards), suffix: ".yaml"),
            ]
        }
    }

    /// Watches until the task is cancelled. Asks for a reload once it watches, because something
    /// may have changed since it was read at the start.
    func run() async {
        let debounce = Debounce()
        await withDiscardingTaskGroup { group in
            for target in targets {
                guard let events = log.events(of: target, by: watcher) else { continue }
                group.addTask {
                    for await event in events {
                        log.note(event, of: events)
                        debounce.note()
                    }
                }
            }
            requests.ask(.start)
            await debounce.run(for: Self.rest, on: source.clock) { requests.ask(.change) }
        }
    }
}

/// Joins what comes within a fixed time after the first into one.
///
/// The time is not begun anew by what comes later, so that what never rests is heeded all the same.
final class Debounce: Sendable {
    private let isNoted = Mutex(false)
    private let signals = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Something came.
    func note() {
        let isFirst = isNoted.withLock { isNoted in
            defer { isNoted = true }
            return !isNoted
        }
        if isFirst { signals.continuation.yield() }
    }

    /// Calls a body so long after something came, until the task is cancelled. For one task alone.
    func run(
        for time: Duration, on clock: any Clock<Duration>, _ body: () async -> Void
    ) async {
        for await _ in signals.stream {
            do {
                try await clock.sleep(for: time)
            } catch {
                return  // The sleep ends early only when the task does.
            }
            // What comes while the body runs may be missed by it.
            isNoted.withLock { $0 = false }
            await body()
        }
    }
}
