/// Asynchronous sequence of events about a set of targets, for one consumer.
///
/// At most one event is pending for each target. Later changes are merged into the pending event.
///
/// The sequence ends, and its targets are no longer watched, in these cases:
/// - ``end()`` is called.
/// - The last reference to the sequence is released.
/// - The task that reads the sequence is cancelled.
/// - The watcher is closed.
/// - The kernel stops reporting events. In this case, the last events report the failure.
///
/// Pending events are still delivered before the end, except after a cancellation.
package struct FileEventSequence: AsyncSequence, Sendable {
    /// Type of the elements.
    package typealias Element = FileEvent
    /// The type of errors, which is `Never` because failures are reported by events.
    package typealias Failure = Never

    /// Names of file systems that do not report all changes, such as `nfs`, keyed by target (see
    /// ``UnreliableFileSystem``).
    ///
    /// The file systems are looked up when the watch begins.
    package let unreliableFileSystems: [FileTarget: String]
    let wakeUps: AsyncStream<Void>
    let mailbox: EventMailbox
    /// Strong reference that keeps the watcher open while a consumer waits.
    let watcher: FileWatcher

    /// Ends the sequence and stops watching its targets.
    package func end() { mailbox.end() }

    /// Creates the iterator.
    ///
    /// A sequence supports only one iterator.
    package func makeAsyncIterator() -> Iterator {
        Iterator(wakeUps: wakeUps.makeAsyncIterator(), mailbox: mailbox, watcher: watcher)
    }

    /// Iterator over a sequence of events.
    package struct Iterator: AsyncIteratorProtocol {
        var wakeUps: AsyncStream<Void>.Iterator
        let mailbox: EventMailbox
        let watcher: FileWatcher

        /// Returns the next event, or `nil` at the end.
        package mutating func next() async -> FileEvent? {
            while true {
                if !Task.isCancelled, let event = mailbox.popEvent() { return event }
                // In a cancelled task, this call finishes the stream, which ends the sequence.
                guard await wakeUps.next(isolation: #isolation) != nil else {
                    return Task.isCancelled ? nil : mailbox.popEvent()
                }
            }
        }
    }
}
