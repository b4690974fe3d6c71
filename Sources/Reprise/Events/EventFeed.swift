import ExactText
import FoundationEssentials
import NIOCore
import Preservation
import RepriseControl
import Synchronization
import Varlink

/// Feed of numbered events from the daemon and its applications. Clients can follow the events.
///
/// The feed collects events for a short time, and then numbers and encodes them on an event loop that runs no
/// application. It stores recent events for clients that were disconnected. Until the first client starts following,
/// the feed does nothing.
final class EventFeed: ApplicationEventFollower, Sendable {
    private struct State {
        var pendingEvents = PendingEvents()
        var history = EventHistory()
        var publicationTime = PublicationTime.never
        var followerCount = 0
        /// Task that stops recording when no client has been following for ``EventFeed/retentionTime``.
        var stopRecordingTask: Scheduled<Void>?
    }

    /// Time at which the collected events will be published.
    private enum PublicationTime: Int {
        /// No publication is scheduled.
        case never
        /// The events are published at the end of the collection interval.
        case later
        /// The events are published as soon as the event loop is free.
        case now
    }

    /// Time for which events are collected, so that changes to one object become one event.
    static let collectionInterval = TimeAmount.milliseconds(50)
    /// Time for which events are stored after the last client has stopped following.
    static let retentionTime = TimeAmount.minutes(10)
    /// Number of skipped events after which the feed sends a client the number of the newest event.
    private static let maximumSkippedEvents = EventHistory.maximumEvents / 10
    /// Total size of skipped events, in bytes, after which the feed sends a client the number of the newest event.
    private static let maximumSkippedBytes = EventHistory.maximumBytes / 10

    /// Identifier that distinguishes this process's events from the events of other processes.
    let instance = UUID().uuidString.lowercased()
    private let eventLoop: any EventLoop
    private let now: @Sendable () -> Int64
    private let isRecording = Atomic(false)
    private let state = Mutex(State())
    /// Broadcast that is sent after new events have been published.
    private let publications = Broadcast()

    /// Creates an empty feed.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop that publishes the events.
    ///   - now: A closure that returns the current time in microseconds since 1970-01-01 UTC.
    init(eventLoop: any EventLoop, now: @escaping @Sendable () -> Int64) {
        self.eventLoop = eventLoop
        self.now = now
    }

    // MARK: Recording events

    var isFollowing: Bool { isRecording.load(ordering: .relaxed) }

    func receive(_ events: [ApplicationEvent], of application: String) {
        let time = now()
        add(events.lazy.map { PendingEvent($0, of: application, time: time) })
    }

    /// Records an event of the daemon, or a request to the daemon.
    func record(
        _ kind: EventKind, of application: String? = nil, scene: String? = nil,
        _ message: @autoclosure () -> String
    ) {
        guard isFollowing else { return }
        let subject = EventSubject(kind: kind, application: application, scene: scene)
        add(CollectionOfOne(PendingEvent(subject, time: now(), message: message())))
    }

    private func add(_ events: some Sequence<PendingEvent>) {
        let publicationTime = state.withLock { state in
            for event in events { state.pendingEvents.add(event) }
            let publicationTime =
                state.pendingEvents.needsImmediatePublication ? PublicationTime.now : .later
            // Only one publication is scheduled at a time, regardless of the number of added events.
            guard publicationTime.rawValue > state.publicationTime.rawValue else {
                return PublicationTime.never
            }
            state.publicationTime = publicationTime
            return publicationTime
        }
        switch publicationTime {
        case .never: break
        case .later: _ = eventLoop.scheduleTask(in: Self.collectionInterval) { self.publish() }
        case .now: eventLoop.execute { self.publish() }
        }
    }

    /// Numbers and publishes the collected events on the event loop.
    ///
    /// If there are more events than the history can store, the feed publishes none, and followers receive
    /// ``ControlError/eventsGone(instance:number:)``.
    private func publish() {
        var (events, lastNumber): ([PendingEvent], Int?) = state.withLock { state in
            state.publicationTime = .never
            guard let events = state.pendingEvents.popAll() else {
                state.history.restart()
                return ([], nil)
            }
            return (events, events.isEmpty ? nil : state.history.lastNumber)
        }
        while let number = lastNumber {
            let replies = events.enumerated().map { offset, event in
                encodedReply(number: number + 1 + offset, event.clientEvent)
            }
            lastNumber = state.withLock { state in
                // The history may have restarted since the numbers were assigned.
                guard state.history.lastNumber == number else { return state.history.lastNumber }
                for (event, reply) in zip(events, replies) {
                    state.history.append(event.subject, reply: reply)
                }
                return nil
            }
        }
        publications.send()
    }

    private func encodedReply(number: Int, _ event: Event?) -> [UInt8] {
        do {
            return try JSONText.write(
                MonitorCall.Reply.with {
                    $0.instance = instance
                    $0.number = number
                    $0.event = event
                })
        } catch {
            preconditionFailure("an event is not JSON: \(error)")
        }
    }

    // MARK: Following

    /// Number of clients that are following events.
    var followerCount: Int { state.withLock { $0.followerCount } }

    /// Sends events to a client until the client disconnects.
    ///
    /// - Parameters:
    ///   - position: The instance and number of the last event that the client received, or `nil` to start with the
    ///     next event.
    ///   - send: A closure that sends replies, and returns when the client is ready for more.
    /// - Throws: ``ControlError/eventsGone(instance:number:)`` if the next events are no longer stored, or
    ///   `CancellationError` if the client disconnects or the daemon stops.
    func follow(
        _ filter: EventFilter, after position: (instance: String, number: Int)?,
        send: ([[UInt8]]) async throws -> Void
    ) async throws {
        // Start recording even if the client receives an error below, so that later events are stored for it.
        let newestNumber = addFollower()
        defer { removeFollower() }
        if let position, position.instance != instance { throw eventsGoneError }
        var number = position?.number ?? newestNumber
        var reportedNumber = number
        var skippedBytes = 0
        var publications = self.publications.subscribe().makeAsyncIterator()
        if case .eventsGone = state.withLock({ $0.history.events(after: number) }) {
            throw eventsGoneError
        }
        try await send([encodedReply(number: number, nil)])
        while true {
            switch state.withLock({ $0.history.events(after: number) }) {
            case .events(let entries):
                number += entries.count
                var replies = entries.filter { filter.accepts($0.subject) }.map(\.reply)
                skippedBytes += entries.reduce(0) { $0 + $1.reply.count }
                let hasSkippedMany =
                    number - reportedNumber >= Self.maximumSkippedEvents
                    || skippedBytes >= Self.maximumSkippedBytes
                if replies.isEmpty, hasSkippedMany {
                    // If the client is disconnected, it can continue from this number, because the events after it are
                    // still stored.
                    replies = [encodedReply(number: number, nil)]
                }
                if replies.isEmpty { continue }
                try await send(replies)
                reportedNumber = number
                skippedBytes = 0
            case .noEvents:
                guard await publications.next() != nil else { throw CancellationError() }
            case .eventsGone: throw eventsGoneError
            }
        }
    }

    private var eventsGoneError: ControlError {
        .eventsGone(instance: instance, number: state.withLock { $0.history.lastNumber })
    }

    /// Adds a follower, and starts recording if the feed is not recording yet.
    ///
    /// - Returns: The number of the newest event.
    private func addFollower() -> Int {
        let (stopRecordingTask, newestNumber) = state.withLock { state in
            state.followerCount += 1
            if !isRecording.exchange(true, ordering: .relaxed) { state.history.restart() }
            return (state.stopRecordingTask.take(), state.history.lastNumber)
        }
        // Cancel outside the lock, because code that runs on cancellation may acquire the lock.
        stopRecordingTask?.cancel()
        return newestNumber
    }

    private func removeFollower() {
        state.withLock { state in
            state.followerCount -= 1
            guard state.followerCount == 0 else { return }
            state.stopRecordingTask = eventLoop.scheduleTask(in: Self.retentionTime) {
                self.state.withLock { state in
                    guard state.followerCount == 0 else { return }
                    self.isRecording.store(false, ordering: .relaxed)
                    state.history.restart()
                }
            }
        }
    }
}
