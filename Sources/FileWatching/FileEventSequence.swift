/// Asynchronous sequence of events about a set of targets, for one consumer.
///
/// At most one event waits for each target. Later changes are merged into the waiting event.
///
/// The sequence ends, and its targets are no longer watched, in these cases: ``end()`` is called, the last reference to
/// the sequence is released, its task is cancelled, the watcher is closed, or the kernel stops reporting events. In the
/// last case, the final events report the failure. Waiting events are still delivered at the end, except after a
/// cancellation.
package struct FileEventSequence: AsyncSequence, Sendable {
    /// Type of the elements.
    package typealias Element = FileEvent
    /// The sequence never fails. Its events report failures.
    package typealias Failure = Never

    /// Targets on file systems that do not report all changes, each with the name of its file system, such as `nfs`
    /// (see ``UnreliableFileSystem``). The file systems are determined when the watch begins.
    package let unreliable: [FileTarget: String]
    let wakeUps: AsyncStream<Void>
    let mailbox: EventMailbox
    /// The watcher, which this reference keeps open for as long as a consumer waits.
    let watcher: FileWatcher

    /// Ends the sequence and stops watching its targets.
    package func end() { mailbox.end() }

    /// Creates the iterator. A sequence supports only one iterator.
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
                // If the task is cancelled, this ends the sequence.
                guard await wakeUps.next(isolation: #isolation) != nil else {
                    return Task.isCancelled ? nil : mailbox.popEvent()
                }
            }
        }
    }
}
