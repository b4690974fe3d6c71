/// Event that asks the consumer to check a target again.
package struct FileEvent: Sendable, Equatable {
    /// Target, as passed to ``FileWatcher/watch(_:)``.
    package var target: FileTarget
    /// Changes to the target, or an empty set if the event only reports a new ``failure``.
    package var changes: FileChanges
    /// Error that currently prevents some or all changes to the target from being reported, or `nil` if there is none.
    ///
    /// The watcher retries each time the kernel reports an event for any target, except after
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
/// The changes do not describe the current state of the target, which may have changed again. To get the current state,
/// open the target and compare its identity (fstat(2)).
package struct FileChanges: OptionSet, Sendable, Hashable {
    /// The raw value, with one bit for each change.
    package let rawValue: UInt8

    /// Creates a set of changes from its raw value.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A program closed the file after opening it for writing, as touch(1) does.
    ///
    /// Writes are not reported until the file is closed. truncate(2), which does not open the file, is never reported.
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
    /// A mount or an unmount hid the target.
    ///
    /// If ``created`` is also set, a different target is now visible at the path.
    package static let unmounted = FileChanges(rawValue: 1 << 4)
    /// Changes may have been missed, because the kernel's queue overflowed or the target could not be watched for a
    /// while.
    package static let lost = FileChanges(rawValue: 1 << 5)
    /// The permissions, the owner or the times of the target were changed through this name, as touch(1) does.
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
