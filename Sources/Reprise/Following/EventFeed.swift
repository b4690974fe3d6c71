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
        var isScheduled = false
        var followers = 0
        /// Ends the recording, once nobody has followed for long enough.
        var ending: Scheduled<Void>?
    }

    /// For how long changes of one object become one event.
    static let moment = TimeAmount.milliseconds(50)
    /// For how long events are remembered after the last one who followed has left.
    static let memory = TimeAmount.minutes(10)
    /// So many events are told without waiting for the moment to be over.
    private static let mostGathered = 4096
    /// After so many events that a client does not want it is told how far they are.
    private static let mostUntold = EventHistory.mostEvents / 10

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
        let time = timeOfDay(now())
        add { gathering in
            for event in events { gathering.add(event, of: application, time: time) }
        }
    }

    /// Something happened to the daemon.
    func note(
        _ kind: EventKind, of application: String? = nil, _ message: @autoclosure () -> String
    ) {
        guard isFollowing else { return }
        var event = Event(kind, application: application, time: timeOfDay(now()))
        event.message = message()
        add { [event] in $0.add(event) }
    }

    private func add(_ body: (inout EventGathering) -> Void) {
        let (isFirst, isFull) = state.withLock { state in
            body(&state.gathering)
            defer { state.isScheduled = true }
            return (!state.isScheduled, state.gathering.count >= Self.mostGathered)
        }
        if isFull {
            eventLoop.execute { self.tell() }
        } else if isFirst {
            _ = eventLoop.scheduleTask(in: Self.moment) { self.tell() }
        }
    }

    /// Numbers what was gathered, on the event loop.
    private func tell() {
        var (events, last): ([Event], Int?) = state.withLock { state in
            state.isScheduled = false
            return (state.gathering.take(), state.history.last)
        }
        if events.isEmpty { return }
        while let number = last {
            let replies = events.enumerated().map { place, event in
                reply(number: number + 1 + place, event)
            }
            last = state.withLock { state in
                // It may have begun anew meanwhile.
                guard state.history.last == number else { return state.history.last }
                for (event, reply) in zip(events, replies) {
                    state.history.append(event, reply: reply)
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
        if let position, position.instance != instance { throw gone }
        let newest = begin()
        defer { end() }
        var number = position?.number ?? newest
        var told = number
        var news = self.news.subscribe().makeAsyncIterator()
        if case .gone = state.withLock({ $0.history.events(after: number) }) { throw gone }
        try await send([reply(number: number, nil)])
        while true {
            switch state.withLock({ $0.history.events(after: number) }) {
            case .events(let entries):
                number += entries.count
                let replies = entries.filter { filter.takes($0.event) }.map(\.reply)
                if !replies.isEmpty {
                    try await send(replies)
                    told = number
                } else if number - told >= Self.mostUntold {
                    // It goes on from here if it is cut off, and not from what is long forgotten.
                    try await send([reply(number: number, nil)])
                    told = number
                }
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
        state.withLock { state in
            state.followers += 1
            state.ending?.cancel()
            state.ending = nil
            if !isRecording.exchange(true, ordering: .relaxed) { state.history.restart() }
            return state.history.last
        }
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
