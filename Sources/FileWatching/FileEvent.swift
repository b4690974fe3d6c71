/// Tells that a target has to be looked at again.
package struct FileEvent: Sendable, Equatable {
    /// The target, as it was given to ``FileWatcher/watch(_:)``.
    package var target: FileTarget
    /// What happened; empty if there only is a new ``failure``.
    package var changes: FileChanges
    /// Why changes of the target are not told at present, or not all of them; nil if they are.
    /// Watching is tried again whenever anything else is told to the watcher, except after
    /// ``FileWatchError/Operation/notice``; its success is told as ``FileChanges/lost``.
    package var failure: FileWatchError?

    /// An event of these parts.
    package init(_ target: FileTarget, _ changes: FileChanges, failure: FileWatchError? = nil) {
        self.target = target
        self.changes = changes
        self.failure = failure
    }
}

/// What happened to a target since it was told of last; more than one of these may have.
///
/// It says why to look again, not what is there now: by the time it is taken the target may have
/// changed again. Opening the target and comparing its identity (fstat(2)) tells the rest.
package struct FileChanges: OptionSet, Sendable, Hashable {
    /// A bit for each.
    package let rawValue: UInt8

    /// Changes of these bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A program that had it open for writing closed it; touch(1) does that too. Bytes that are
    /// written are not told before, and truncate(2) of a path never.
    package static let written = FileChanges(rawValue: 1 << 0)
    /// Another file took its name by a rename, or a symbolic link on the way leads elsewhere now.
    package static let replaced = FileChanges(rawValue: 1 << 1)
    /// It came to be; its content may still be in the writing, of which ``written`` tells the end,
    /// except of a link.
    package static let created = FileChanges(rawValue: 1 << 2)
    /// Its name went: removed, renamed, or a folder above it did; with ``created`` or ``replaced``
    /// there may be another one by now.
    package static let removed = FileChanges(rawValue: 1 << 3)
    /// A mount or an unmount took it out of sight; with ``created`` if another one is in its place.
    package static let unmounted = FileChanges(rawValue: 1 << 4)
    /// Something may have happened that was not seen: the kernel's queue overflowed, or the target
    /// could not be watched for a while.
    package static let lost = FileChanges(rawValue: 1 << 5)
    /// Its permissions, its owner or its times were changed by this name, so that it may be
    /// readable now, or not any more; touch(1) does that too. Of a watched folder, also its own.
    package static let attributes = FileChanges(rawValue: 1 << 6)
}

extension FileChanges: CustomStringConvertible {
    private static let names: [(FileChanges, String)] = [
        (.written, "written"), (.replaced, "replaced"), (.created, "created"),
        (.removed, "removed"), (.unmounted, "unmounted"), (.lost, "lost"),
        (.attributes, "attributes"),
    ]

    /// The names of the changes, as `created, written`.
    package var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
