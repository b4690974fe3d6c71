/// The events of some targets, for one consumer.
///
/// At most one event for each target waits to be taken; what happens meanwhile is merged into it.
/// The sequence ends, and its targets are watched no longer, when ``end()`` is called, nobody holds
/// it any more, its task is cancelled, the watcher is closed, or the kernel tells nothing more,
/// which the last events say. What waits then is still told, except after a cancellation.
package struct FileEvents: AsyncSequence, Sendable {
    /// What it gives.
    package typealias Element = FileEvent
    /// It never fails; what goes wrong is told by the events.
    package typealias Failure = Never

    /// The targets of which not all changes are seen, with the name of the file system that is the
    /// reason, such as `nfs`; as it was when the watch began. See ``NetworkFileSystem``.
    package let unreliable: [FileTarget: String]
    let signals: AsyncStream<Void>
    let mailbox: EventMailbox
    /// The watcher, which stays open as long as anybody waits.
    let watcher: FileWatcher

    /// Ends the sequence, and watches its targets no longer.
    package func end() { mailbox.end() }

    /// The iterator; there is to be one only.
    package func makeAsyncIterator() -> Iterator {
        Iterator(signals: signals.makeAsyncIterator(), mailbox: mailbox, watcher: watcher)
    }

    /// Takes events one by one.
    package struct Iterator: AsyncIteratorProtocol {
        var signals: AsyncStream<Void>.Iterator
        let mailbox: EventMailbox
        let watcher: FileWatcher

        /// The next event; nil at the end.
        package mutating func next() async -> FileEvent? {
            while true {
                if !Task.isCancelled, let event = mailbox.take() { return event }
                // Of a cancelled task this ends the sequence.
                guard await signals.next(isolation: #isolation) != nil else {
                    return Task.isCancelled ? nil : mailbox.take()
                }
            }
        }
    }
}
