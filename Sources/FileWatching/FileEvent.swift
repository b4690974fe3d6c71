/// Tells that a target has to be looked at again.
package struct FileEvent: Sendable, Equatable {
    /// The target, as it was given to ``FileWatcher/watch(_:)``.
    package var target: FileTarget
    /// What happened; empty only with a ``failure``.
    package var changes: FileChanges
    /// Why changes of the target are not told for now, or not all of them.
    ///
    /// Watching is tried again when anything else is told to the watcher; a target that can be
    /// watched again is told as ``FileChanges/lost``.
    package var failure: FileWatchError?

    /// An event of these parts.
    package init(_ target: FileTarget, _ changes: FileChanges, failure: FileWatchError? = nil) {
        self.target = target
        self.changes = changes
        self.failure = failure
    }
}
