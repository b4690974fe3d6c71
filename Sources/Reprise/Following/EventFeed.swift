import ExactText
import FoundationEssentials
import NIOCore
import Preservation
import RepriseControl
import Synchronization
import Varlink

/// What happens in the daemon and its applications, numbered, for those who follow it.
///
/// Events are gathered for a moment, numbered and encoded on an event loop that no application runs on,
/// and remembered for those who were cut off. Nothing of that is done before somebody follows.
final class EventFeed: ApplicationFollower, Sendable {
    private struct State {
        var gathering = EventGathering()
        var history = EventHistory()
        var due = Due.never
        var followers = 0
        /// Ends the recording, once nobody has followed for long enough.
        var ending: Scheduled<Void>?
    }

    /// When what was gathered is told.
    private enum Due: Int {
        /// There is nothing to tell.
        case never
        /// When the moment is over.
        case later
        /// As soon as the event loop comes to it.
        case now
    }

    /// For how long changes of one object become one event.
    static let moment = TimeAmount.milliseconds(50)
    /// For how long events are remembered after the last one who followed has left.
    static let memory = TimeAmount.minutes(10)
    /// After so many events that a client does not want it is told how far they are.
    private static let mostUntold = EventHistory.mostEvents / 10
    /// After so many bytes of them it is, too.
    private static let mostBytesUntold = EventHistory.mostBytes / 10

    /// Tells the events of this process from those of another.
    let instance = UUID().uuidString.lowercased()
    private let eventLoop: any EventLoop
    private let now: @Sendable () -> Int64
    private let isRecording = Atomic(false)
    private let state = Mutex(State())
    /// Told when there are new events.
    private let news = Broadcast()

    /// - Parameters:
    ///   - eventLoop: where events are told.
    ///   - now: the time of day in microseconds since 1970-01-01 UTC.
    init(eventLoop: any EventLoop, now: @escaping @Sendable () -> Int64) {
        self.eventLoop = eventLoop
        self.now = now
    }

    // MARK: What happens

    var isFollowing: Bool { isRecording.load(ordering: .relaxed) }

    func note(_ events: [ApplicationEvent], of application: String) {
        let time = now()
        add(events.lazy.map { GatheredEvent($0, of: application, time: time) })
    }

    /// Something happened to the daemon, or was asked of it.
    func note(
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
            // It is called once for each, however much is added meanwhile.
            guard due.rawValue > state.due.rawValue else { return Due.never }
            state.due = due
            return due
        }
        switch due {
        case .never: break
        case .later: _ = eventLoop.scheduleTask(in: Self.moment) { self.tell() }
        case .now: eventLoop.execute { self.tell() }
        }
    }

    /// Numbers what was gathered, on the event loop. Where that is more than is ever remembered it is
    /// told to nobody, but that it is gone.
    private func tell() {
        var (events, last): ([GatheredEvent], Int?) = state.withLock { state in
            state.due = .never
            guard let events = state.gathering.take() else {
                state.history.restart()
                return ([], nil)
            }
            return (events, events.isEmpty ? nil : state.history.last)
        }
        while let number = last {
            let replies = events.enumerated().map { place, event in
                reply(number: number + 1 + place, event.told)
            }
            last = state.withLock { state in
                // It may have begun anew meanwhile.
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
            return try JSONText.encode(
                MonitorCall.Reply.with {
                    $0.instance = instance
                    $0.number = number
                    $0.event = event
                })
        } catch {
            preconditionFailure("an event is no JSON: \(error)")
        }
    }

    // MARK: Who follows

    /// How many clients follow.
    var followerCount: Int { state.withLock { $0.followers } }

    /// Tells a client what happens, until it is gone.
    ///
    /// - Parameters:
    ///   - position: the number of the last event that it knows; nil: it wants those from now on.
    ///   - send: sends replies, and returns when the client reads.
    /// - Throws: ``ControlError/eventsGone(instance:number:)`` if what comes next is not known any
    ///   more; `CancellationError` if the client is gone, or the daemon ends.
    func follow(
        _ filter: EventFilter, after position: (instance: String, number: Int)?,
        send: ([[UInt8]]) async throws -> Void
    ) async throws {
        // Also if it is told that those are gone: what comes now is remembered for it.
        let newest = begin()
        defer { end() }
        if let position, position.instance != instance { throw gone }
        var number = position?.number ?? newest
        var told = number
        var bytesUntold = 0
        var news = self.news.subscribe().makeAsyncIterator()
        if case .gone = state.withLock({ $0.history.events(after: number) }) { throw gone }
        try await send([reply(number: number, nil)])
        while true {
            switch state.withLock({ $0.history.events(after: number) }) {
            case .events(let entries):
                number += entries.count
                var replies = entries.filter { filter.takes($0.subject) }.map(\.reply)
                bytesUntold += entries.reduce(0) { $0 + $1.reply.count }
                let isFarBehind =
                    number - told >= Self.mostUntold || bytesUntold >= Self.mostBytesUntold
                if replies.isEmpty, isFarBehind {
                    // It goes on from here if it is cut off, and not from what is long forgotten.
                    replies = [reply(number: number, nil)]
                }
                if replies.isEmpty { continue }
                try await send(replies)
                told = number
                bytesUntold = 0
            case .none:
                guard await news.next() != nil else { throw CancellationError() }
            case .gone: throw gone
            }
        }
    }

    private var gone: ControlError {
        .eventsGone(instance: instance, number: state.withLock { $0.history.last })
    }

    /// - Returns: the number of the newest event.
    private func begin() -> Int {
        let (ending, last) = state.withLock { state in
            state.followers += 1
            if !isRecording.exchange(true, ordering: .relaxed) { state.history.restart() }
            return (state.ending.take(), state.history.last)
        }
        // Not under the lock: what runs at the cancellation may acquire it.
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
