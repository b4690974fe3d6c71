/// Tells that a target has to be looked at again.
package struct FileEvent: Sendable, Equatable {
    /// The target, as it was given to ``FileWatcher/watch(_:)``.
    package var target: FileTarget
    /// What happened; empty if there only is a new ``failure``.
    package var changes: FileChanges
    /// Why changes of the target are not told at present, or not all of them; nil if they are.
    ///
    /// Watching is tried again whenever anything else is told to the watcher; when it succeeds that is
    /// told as ``FileChanges/lost``. After ``FileWatchError/Operation/notice`` it is not: the sequence ends.
    package var failure: FileWatchError?

    /// An event of these parts.
    package init(_ target: FileTarget, _ changes: FileChanges, failure: FileWatchError? = nil) {
        self.target = target
        self.changes = changes
        self.failure = failure
    }
}
