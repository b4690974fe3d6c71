import Glibc
internal import SystemPackage

/// Watcher that reports when files and directories should be checked again.
///
/// A watcher uses a single inotify(7) instance, of which a user has 128 by default, for any number of targets. It uses
/// one watch for each directory on the paths to the targets, and one for each file to which a path leads. It watches
/// names rather than files: a target may be replaced, and neither the target nor the directories above it need to exist
/// yet. Links on a path may change, and file systems may be mounted over a target.
///
/// ```swift
/// let watcher = try FileWatcher()
/// let events = try watcher.watch([.file("/etc/reprised.yaml")])
/// read()  // Later changes are reported.
/// for await event in events { read() }
/// ```
package final class FileWatcher: Sendable {
    private let loop: WatchLoop

    /// Creates a watcher.
    ///
    /// - Throws: ``FileWatchError`` with `EMFILE` if all of the user's inotify instances are in use.
    package init() throws(FileWatchError) { loop = WatchLoop(try KernelEventSource()) }

    deinit { loop.end() }

    /// Stops the watcher.
    ///
    /// All sequences end shortly after the call. Further calls have no effect.
    package func close() { loop.end() }

    /// Starts watching targets, and returns the sequence of their events.
    ///
    /// Earlier changes are not reported, so check each target once after this call.
    ///
    /// - Throws: ``FileWatchError`` if a target cannot be watched. In that case, no target is watched. The error is
    ///   `ENOSPC` if all of the user's watches are in use, `EMLINK` for a directory with too many links, and `EBADF`
    ///   after ``close()``. It is `EACCES` if a directory cannot be read and contains a target, a link on the path to a
    ///   target, or the first missing name on that path.
    package func watch(_ targets: [FileTarget]) throws(FileWatchError) -> FileEventSequence {
        let (wakeUps, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let mailbox = EventMailbox(continuation: continuation)
        continuation.onTermination = { [weak loop, weak mailbox] _ in
            if let mailbox { loop?.removeTargets(of: mailbox) }
        }
        try loop.readAll()
        var watched: Set<FileTarget> = []
        var unreliable: [FileTarget: String] = [:]
        do throws(FileWatchError) {
            for target in targets where watched.insert(target).inserted {
                unreliable[target] = try watch(target, for: mailbox)
            }
        } catch {
            loop.removeTargets(of: mailbox)
            throw error
        }
        return FileEventSequence(
            unreliable: unreliable, wakeUps: wakeUps, mailbox: mailbox, watcher: self)
    }

    /// Number of kernel watches in use.
    var watchCount: Int {
        get throws(FileWatchError) {
            try loop.withTable { table throws(FileWatchError) in table.watchCount }
        }
    }

    /// Calls a closure, during which no events are read.
    func withoutReading(_ body: () -> Void) throws(FileWatchError) {
        try loop.withTable { _ throws(FileWatchError) in body() }
    }

    /// Starts watching one target.
    ///
    /// - Returns: The name of the target's file system if that file system does not report all changes, or `nil`
    ///   otherwise.
    private func watch(
        _ target: FileTarget, for mailbox: EventMailbox
    ) throws(FileWatchError) -> String? {
        let absolute = try target.absolute()
        let routes = try loop.withTable { table throws(FileWatchError) in
            try table.add(target, absolute: absolute, for: mailbox)
        }
        let ends = routes.compactMap(\.nodes.last?.path)
        return ends.lazy.compactMap(UnreliableFileSystem.name(at:)).first
    }
}
