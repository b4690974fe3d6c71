import ExactText
import FoundationEssentials
import NIOCore
import Preservation
import RepriseControl
import Synchronization
import Varlink

/// Numbered events of the daemon and its applications, for clients that follow them.
///
/// The feed collects events for a short time, then numbers and encodes them on an event loop that runs no
/// application. It stores recent events for clients that were disconnected. Until the first client follows, the
/// feed does nothing.
final class EventFeed: ApplicationFollower, Sendable {
    private struct State {
        var gathering = EventGathering()
        var history = EventHistory()
        var due = Due.never
        var followers = 0
        /// Task that stops recording some time after the last client stopped following.
        var ending: Scheduled<Void>?
    }

    /// Time at which the collected events are published.
    private enum Due: Int {
        /// No publication is scheduled.
        case never
        /// After the collection time.
        case later
        /// As soon as the event loop is free.
        case now
    }

    /// Time for which events are collected, so that changes to one object become one event.
    static let moment = TimeAmount.milliseconds(50)
    /// Time for which events are stored after the last client stopped following.
    static let memory = TimeAmount.minutes(10)
    /// Number of skipped events after which a client receives the number of the newest event.
    private static let maximumSkipped = EventHistory.maximumEvents / 10
    /// Total size of skipped events, in bytes, after which a client receives the number of the newest event.
    private static let maximumSkippedBytes = EventHistory.maximumBytes / 10

    /// Identifier that distinguishes the events of this process from the events of other processes.
    let instance = UUID().uuidString.lowercased()
    private let eventLoop: any EventLoop
    private let now: @Sendable () -> Int64
    private let isRecording = Atomic(false)
    private let state = Mutex(State())
    /// Broadcast that is sent after new events have been published.
    private let news = Broadcast()

    /// Creates a feed without events.
    ///
    /// - Parameters:
    ///   - eventLoop: Event loop that publishes the events.
    ///   - now: Closure that returns the current time in microseconds since 1970-01-01 UTC.
    init(eventLoop: any EventLoop, now: @escaping @Sendable () -> Int64) {
        self.eventLoop = eventLoop
        self.now = now
    }

    // MARK: Recording events

    var isFollowing: Bool { isRecording.load(ordering: .relaxed) }

    func receive(_ events: [ApplicationEvent], of application: String) {
        let time = now()
        add(events.lazy.map { GatheredEvent($0, of: application, time: time) })
    }

    /// Records an event of the daemon or a request to the daemon.
    func record(
        _ kind: EventKind, of application: String? = nil, scene: String? = nil,
        _ message: @autoclosure () -> String
    ) {
        guard isFollowing else { return }
        let subject = EventSubject(kind: kind, application: application, scene: scene)
        add(CollectionOfOne(GatheredEvent(subject, time: now(), message: message())))
    }

    private func add(_ events: some Sequence<GatheredEvent>) {
        let due = state.withLock { state in
            for event in events { state.gathering.add(event) }
            let due = state.gathering.isFull ? Due.now : .later
            // At most one publication is scheduled at a time, regardless of the number of added events.
            guard due.rawValue > state.due.rawValue else { return Due.never }
            state.due = due
            return due
        }
        switch due {
        case .never: break
        case .later: _ = eventLoop.scheduleTask(in: Self.moment) { self.publish() }
        case .now: eventLoop.execute { self.publish() }
        }
    }

    /// Numbers and publishes the collected events, on the event loop.
    ///
    /// If there are more events than the history can store, the feed publishes none of them, and followers receive
    /// ``ControlError/eventsGone(instance:number:)``.
    private func publish() {
        var (events, last): ([GatheredEvent], Int?) = state.withLock { state in
            state.due = .never
            guard let events = state.gathering.popAll() else {
                state.history.restart()
                return ([], nil)
            }
            return (events, events.isEmpty ? nil : state.history.last)
        }
        while let number = last {
            let replies = events.enumerated().map { place, event in
                reply(number: number + 1 + place, event.clientEvent)
            }
            last = state.withLock { state in
                // The history may have restarted since the numbers were assigned.
                guard state.history.last == number else { return state.history.last }
                for (event, reply) in zip(events, replies) {
                    state.history.append(event.subject, reply: reply)
                }
                return nil
            }
        }
        news.send()
    }

    private func reply(number: Int, _ event: Event?) -> [UInt8] {
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

    /// Number of clients that follow.
    var followerCount: Int { state.withLock { $0.followers } }

    /// Sends events to a client until the client disconnects.
    ///
    /// - Parameters:
    ///   - position: Number of the last event that the client received, or `nil` to start with the next event.
    ///   - send: Closure that sends replies, and returns when the client can receive more.
    /// - Throws: ``ControlError/eventsGone(instance:number:)`` if the next events are no longer stored, or
    ///   `CancellationError` if the client disconnects or the daemon stops.
    func follow(
        _ filter: EventFilter, after position: (instance: String, number: Int)?,
        send: ([[UInt8]]) async throws -> Void
    ) async throws {
        // Starts recording even if the client receives an error below, so that later events are stored for the client.
        let newest = begin()
        defer { end() }
        if let position, position.instance != instance { throw gone }
        var number = position?.number ?? newest
        var reported = number
        var skippedBytes = 0
        var news = self.news.subscribe().makeAsyncIterator()
        if case .gone = state.withLock({ $0.history.events(after: number) }) { throw gone }
        try await send([reply(number: number, nil)])
        while true {
            switch state.withLock({ $0.history.events(after: number) }) {
            case .events(let entries):
                number += entries.count
                var replies = entries.filter { filter.accepts($0.subject) }.map(\.reply)
                skippedBytes += entries.reduce(0) { $0 + $1.reply.count }
                let isFarBehind =
                    number - reported >= Self.maximumSkipped
                    || skippedBytes >= Self.maximumSkippedBytes
                if replies.isEmpty, isFarBehind {
                    // If the client is disconnected, it can continue from this number, because later events are
                    // still stored.
                    replies = [reply(number: number, nil)]
                }
                if replies.isEmpty { continue }
                try await send(replies)
                reported = number
                skippedBytes = 0
            case .none:
                guard await news.next() != nil else { throw CancellationError() }
            case .gone: throw gone
            }
        }
    }

    private var gone: ControlError {
        .eventsGone(instance: instance, number: state.withLock { $0.history.last })
    }

    /// Adds a follower, and starts recording if the feed is not recording yet.
    ///
    /// - Returns: The number of the newest event.
    private func begin() -> Int {
        let (ending, last) = state.withLock { state in
            state.followers += 1
            if !isRecording.exchange(true, ordering: .relaxed) { state.history.restart() }
            return (state.ending.take(), state.history.last)
        }
        // Cancels outside the lock, because code that runs on cancellation may acquire it.
        ending?.cancel()
        return last
    }

    private func end() {
        state.withLock { state in
            state.followers -= 1
            guard state.followers == 0 else { return }
            state.ending = eventLoop.scheduleTask(in: Self.memory) {
                self.state.withLock { state in
                    guard state.followers == 0 else { return }
                    self.isRecording.store(false, ordering: .relaxed)
                    state.history.restart()
                }
            }
        }
    }
}
