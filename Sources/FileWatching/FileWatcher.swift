import Glibc
internal import SystemPackage

/// Tells when files and folders have to be looked at again.
///
/// It uses one of the user's 128 instances of inotify(7) for any number of targets, and one watch
/// for each folder on the way to them. Changes are told of a name, whatever stands for it: a target
/// may be replaced, or be missing with folders above it; links on the way may be turned elsewhere;
/// file systems may be mounted over it.
///
/// ```swift
/// let watcher = try FileWatcher()
/// let events = try watcher.watch([.file("/etc/reprised.yaml")])
/// read()  // what changes from here on is told
/// for await event in events { read() }
/// ```
package final class FileWatcher: Sendable {
    private let loop: WatchLoop

    /// - Throws: ``FileWatchError`` with `EMFILE` if the user has all instances in use.
    package init() throws(FileWatchError) { loop = WatchLoop(try KernelEvents()) }

    deinit { loop.end() }

    /// Ends all sequences, soon after the call; further calls do nothing.
    package func close() { loop.end() }

    /// Begins to watch targets, and gives the sequence of their events. What happened before the
    /// call is not told; so look at the targets once after it.
    ///
    /// - Throws: ``FileWatchError``, and watches none of the targets: `ENOSPC` if the user has all
    ///   watches in use, `EACCES` for a folder that holds a target, a link to it or nothing to go
    ///   on with, and may not be read; `EMLINK` for a folder with too many links; `EBADF` after
    ///   ``close()``.
    package func watch(_ targets: [FileTarget]) throws(FileWatchError) -> FileEvents {
        let (signals, signal) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let mailbox = EventMailbox(signal: signal)
        signal.onTermination = { [weak loop, weak mailbox] _ in
            if let mailbox { loop?.remove(all: mailbox) }
        }
        try loop.readAll()
        var watched: Set<FileTarget> = []
        var unreliable: [FileTarget: String] = [:]
        do throws(FileWatchError) {
            for target in targets where watched.insert(target).inserted {
                unreliable[target] = try watch(target, for: mailbox)
            }
        } catch {
            loop.remove(all: mailbox)
            throw error
        }
        return FileEvents(
            unreliable: unreliable, signals: signals, mailbox: mailbox, watcher: self)
    }

    /// How many watches of the kernel's are in use.
    var watchCount: Int {
        get throws(FileWatchError) {
            try loop.withTable { table throws(FileWatchError) in table.watchCount }
        }
    }

    /// Lets nothing be read while a body runs.
    func withoutReading(_ body: () -> Void) throws(FileWatchError) {
        try loop.withTable { _ throws(FileWatchError) in body() }
    }

    /// Begins to watch one target; returns the name of a file system that does not tell all of it.
    private func watch(
        _ target: FileTarget, for mailbox: EventMailbox
    ) throws(FileWatchError) -> String? {
        let absolute = try target.absolute()
        let routes = try loop.withTable { table throws(FileWatchError) in
            try table.add(target, absolute: absolute, for: mailbox)
        }
        let ends = routes.compactMap(\.places.last?.path)
        return ends.lazy.compactMap(NetworkFileSystem.name(at:)).first
    }
}
