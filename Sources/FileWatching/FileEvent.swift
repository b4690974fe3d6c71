/// Event after which the consumer must recheck a target.
package struct FileEvent: Sendable, Equatable {
    /// Target, as passed to ``FileWatcher/watch(_:)``.
    package var target: FileTarget
    /// Changes to the target, or an empty set if the event only reports a new ``failure``.
    package var changes: FileChanges
    /// Error that currently prevents some or all changes from being reported, or `nil` if there is none.
    ///
    /// The watcher retries after every later kernel event for any of its targets, except after
    /// ``FileWatchError/Operation/detectChanges``. It reports a successful retry as ``FileChanges/lost``.
    package var failure: FileWatchError?

    /// Creates an event.
    package init(_ target: FileTarget, _ changes: FileChanges, failure: FileWatchError? = nil) {
        self.target = target
        self.changes = changes
        self.failure = failure
    }
}

/// Set of changes to a target since its previous event.
///
/// The set does not describe the current state of the target, which may have changed again. To determine the current
/// state, open the target and compare its identity (fstat(2)).
package struct FileChanges: OptionSet, Sendable, Hashable {
    /// The raw value, with one bit for each change.
    package let rawValue: UInt8

    /// Creates a set of changes from its raw value.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A program that had opened the file for writing has closed it, as touch(1) does.
    ///
    /// A write is reported only when the file is closed. truncate(2) does not open the file, and is never reported.
    package static let written = FileChanges(rawValue: 1 << 0)
    /// Another file was renamed to this name, or a symbolic link on the path now leads to a different file.
    package static let replaced = FileChanges(rawValue: 1 << 1)
    /// The target was created.
    ///
    /// A program may still be writing its contents. ``written`` is reported when the program closes the file, unless
    /// the name is a new link.
    package static let created = FileChanges(rawValue: 1 << 2)
    /// The target or a directory above it was removed or renamed.
    ///
    /// If ``created`` or ``replaced`` is also set, a new target may already exist.
    package static let removed = FileChanges(rawValue: 1 << 3)
    /// The target was hidden by a mount or an unmount.
    ///
    /// If ``created`` is also set, a different target is now visible at the path.
    package static let unmounted = FileChanges(rawValue: 1 << 4)
    /// Changes may have been missed, because the kernel's queue overflowed or the target was not watched for some time.
    package static let lost = FileChanges(rawValue: 1 << 5)
    /// The permissions, owner or timestamps of the target were changed through this name, for example by touch(1).
    ///
    /// The target may have become readable or unreadable. For a directory, this includes changes to the directory
    /// itself.
    package static let attributes = FileChanges(rawValue: 1 << 6)
}

extension FileChanges: CustomStringConvertible {
    private static let namedChanges: [(FileChanges, String)] = [
        (.written, "written"), (.replaced, "replaced"), (.created, "created"),
        (.removed, "removed"), (.unmounted, "unmounted"), (.lost, "lost"),
        (.attributes, "attributes"),
    ]

    /// Names of the changes, for example `created, written`.
    package var description: String {
        Self.namedChanges.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
