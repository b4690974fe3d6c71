import Glibc
internal import SystemPackage

/// Watcher that reports when files and directories must be rechecked.
///
/// A watcher needs only one inotify(7) instance for any number of targets. By default, a user can have only 128
/// instances. It adds one watch for each directory on the paths to the targets, and one for each file at the end of a
/// path. It watches names rather than files: a target may be replaced, and neither the target nor the directories above
/// it need to exist yet. Links on a path may change, and file systems may be mounted over a target.
///
/// ```swift
/// let watcher = try FileWatcher()
/// let events = try watcher.watch([.file("/etc/reprised.yaml")])
/// read()  // Later changes are reported.
/// for await event in events { read() }
/// ```
package final class FileWatcher: Sendable {
    private let watchLoop: WatchLoop

    /// Creates a watcher.
    ///
    /// - Throws: ``FileWatchError`` with `EMFILE` if all of the user's inotify instances are in use.
    package init() throws(FileWatchError) { watchLoop = WatchLoop(try KernelEventSource()) }

    deinit { watchLoop.end() }

    /// Closes the watcher.
    ///
    /// All sequences end shortly after the call. Further calls have no effect.
    package func close() { watchLoop.end() }

    /// Starts watching targets, and returns the sequence of their events.
    ///
    /// Changes before this call are not reported, so check each target once afterwards.
    ///
    /// - Throws: ``FileWatchError`` if any target cannot be watched. No target is then watched. The error is `ENOSPC`
    ///   if all of the user's watches are in use, `EMLINK` for a directory with too many links, and `EBADF` after
    ///   ``close()``. It is `EACCES` if the user may not read a required directory: one that contains a target, a link
    ///   on the path to a target, or the first missing name on that path.
    package func watch(_ targets: [FileTarget]) throws(FileWatchError) -> FileEventSequence {
        let (wakeUps, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let mailbox = EventMailbox(continuation: continuation)
        continuation.onTermination = { [weak watchLoop, weak mailbox] _ in
            if let mailbox { watchLoop?.removeTargets(of: mailbox) }
        }
        try watchLoop.readPendingEvents()
        var watchedTargets: Set<FileTarget> = []
        var unreliableFileSystems: [FileTarget: String] = [:]
        do throws(FileWatchError) {
            for target in targets where watchedTargets.insert(target).inserted {
                unreliableFileSystems[target] = try watch(target, for: mailbox)
            }
        } catch {
            watchLoop.removeTargets(of: mailbox)
            throw error
        }
        return FileEventSequence(
            unreliableFileSystems: unreliableFileSystems, wakeUps: wakeUps, mailbox: mailbox,
            watcher: self)
    }

    /// Number of kernel watches in use.
    var watchCount: Int {
        get throws(FileWatchError) {
            try watchLoop.withTable { table throws(FileWatchError) in table.watchCount }
        }
    }

    /// Calls a closure while the reading of events is paused.
    func withReadingPaused(_ body: () -> Void) throws(FileWatchError) {
        try watchLoop.withTable { _ throws(FileWatchError) in body() }
    }

    /// Starts watching one target.
    ///
    /// - Returns: The name of the target's file system if that file system does not report all changes, or `nil`
    ///   otherwise.
    private func watch(
        _ target: FileTarget, for mailbox: EventMailbox
    ) throws(FileWatchError) -> String? {
        let absoluteTarget = try target.absoluteTarget()
        let routes = try watchLoop.withTable { table throws(FileWatchError) in
            try table.add(target, absoluteTarget: absoluteTarget, for: mailbox)
        }
        let destinationPaths = routes.compactMap(\.nodes.last?.path)
        return destinationPaths.lazy.compactMap(UnreliableFileSystem.name(at:)).first
    }
}
