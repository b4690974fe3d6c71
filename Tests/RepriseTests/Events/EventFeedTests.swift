import NIOCore
import NIOEmbedded
import Preservation
import RepriseControl
import StateRestoration
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Reprise

/// Events that clients receive, on an event loop whose time the test advances.
@Suite struct EventFeedTests {
    /// Client that follows the feed and records its replies.
    private final class Follower: Sendable {
        private let received = Mutex<[MonitorCall.Reply]>([])
        var replies: [MonitorCall.Reply] { received.withLock { $0 } }

        func follow(
            _ feed: EventFeed, _ filter: EventFilter = EventFilter(),
            after position: (String, Int)? = nil, pausing: (@Sendable () async -> Void)? = nil
        ) async -> (any Error)? {
            do {
                try await feed.follow(filter, after: position) { replies in
                    for reply in replies {
                        let reply = try JSONText.read(MonitorCall.Reply.self, from: reply)
                        received.withLock { $0.append(reply) }
                    }
                    await pausing?()
                    try Task.checkCancellation()
                }
                return nil
            } catch {
                return error
            }
        }

        /// Waits until the client has received a number of replies.
        func wait(for count: Int) async throws {
            try await waitUntil("\(count) replies came") { self.replies.count >= count }
        }
    }

    private static func change(_ value: Int64) -> [ApplicationEvent] {
        [
            ApplicationEvent(
                .changed, scene: "main", path: "x", values: ["a": .value(.integer(value))])
        ]
    }

    /// Runs a body while a client follows the feed.
    private func withFollower(
        _ feed: EventFeed, after position: (String, Int)? = nil,
        _ body: (Follower) async throws -> Void
    ) async throws {
        let follower = Follower()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { _ = await follower.follow(feed, after: position) }
            try await follower.wait(for: 1)
            try await body(follower)
            tasks.cancelAll()
        }
    }

    @Test func `a feed records no events until a client follows`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        #expect(!feed.isFollowing)
        try await withFollower(feed) { follower in
            #expect(feed.isFollowing)
            #expect(follower.replies[0].event == nil)
            #expect(follower.replies[0].instance == feed.instance)
        }
    }

    @Test
    func `changes within a short interval become one event, and event numbers are consecutive`()
        async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        try await withFollower(feed) { follower in
            let start = follower.replies[0].number
            for value in 1...5 { feed.receive(Self.change(Int64(value)), of: "a") }
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event?.values == ["a": .integer(5)])
            feed.record(.refused, "somebody was refused")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 3)
            #expect(follower.replies[2].event?.message == "somebody was refused")
            #expect(follower.replies.map(\.number) == [start, start + 1, start + 2])
        }
    }

    @Test
    func `an event larger than the history ends a stream, and the client can continue after it`()
        async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let follower = Follower()
        async let end = follower.follow(feed)
        try await follower.wait(for: 1)
        feed.record(.refused, String(repeating: "x", count: EventHistory.maximumBytes + 1))
        await loop.run()
        guard case .eventsGone(feed.instance, let number)? = await end as? ControlError else {
            Issue.record("it was not told")
            return
        }
        try await withFollower(feed, after: (feed.instance, number)) { follower in
            feed.record(.asked, of: "a", scene: "main", "next")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event?.scene == "main")
            #expect(follower.replies[1].number == number + 1)
        }
    }

    @Test func `a client receives its position after many bytes of events that its filter skips`()
        async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let follower = Follower()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { _ = await follower.follow(feed, EventFilter(kinds: [.durable])) }
            try await follower.wait(for: 1)
            let text = String(repeating: "x", count: 1 << 20)
            for _ in 0..<2 {
                feed.record(.refused, text)
                await loop.run()
            }
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event == nil)
            // The count starts again.
            feed.record(.refused, "short")
            await loop.run()
            for _ in 0..<1000 { await Task.yield() }
            for _ in 0..<2 {
                feed.record(.refused, text)
                await loop.run()
            }
            try await follower.wait(for: 3)
            #expect(follower.replies[2].number == follower.replies[1].number + 3)
            tasks.cancelAll()
        }
    }

    @Test func `a client receives its position after a thousand events that its filter skips`()
        async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let follower = Follower()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { _ = await follower.follow(feed, EventFilter(kinds: [.durable])) }
            try await follower.wait(for: 1)
            for number in 1...999 { feed.record(.refused, "\(number)") }
            await loop.advanceTime(by: EventFeed.collectionInterval)
            feed.record(.refused, "1000")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event == nil)
            #expect(follower.replies[1].number == follower.replies[0].number + 1000)
            tasks.cancelAll()
        }
    }

    @Test func `a disconnected client continues after its last event`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        var position: (String, Int)?
        try await withFollower(feed) { follower in
            let reply = follower.replies[0]
            position = (reply.instance, reply.number)
        }
        feed.receive(Self.change(7), of: "a")
        await loop.advanceTime(by: EventFeed.collectionInterval)
        try await withFollower(feed, after: position) { follower in
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event?.values == ["a": .integer(7)])
            #expect(follower.replies[1].number == position.map { $0.1 + 1 })
        }
    }

    @Test func `events of another process and forgotten events are reported as gone`() async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        var number = 0
        try await withFollower(feed) { number = $0.replies[0].number }
        let gone = ControlError.eventsGone(instance: feed.instance, number: number)
        let other = await Follower().follow(feed, after: ("another", number))
        #expect(other as? ControlError == gone)
        let late = await Follower().follow(feed, after: (feed.instance, number + 1))
        #expect(late as? ControlError == gone)
        await loop.advanceTime(by: EventFeed.retentionTime)
        #expect(!feed.isFollowing)
        let old = await Follower().follow(feed, after: (feed.instance, number))
        guard case .eventsGone(feed.instance, let next)? = old as? ControlError else {
            Issue.record("\(String(describing: old))")
            return
        }
        #expect(next > number)
    }

    @Test func `a client of another process continues from the position in the error`() async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let other = await Follower().follow(feed, after: ("another", 7))
        guard case .eventsGone(let instance, let number)? = other as? ControlError else {
            Issue.record("\(String(describing: other))")
            return
        }
        feed.receive(Self.change(7), of: "a")
        await loop.advanceTime(by: EventFeed.collectionInterval)
        try await withFollower(feed, after: (instance, number)) { follower in
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event?.values == ["a": .integer(7)])
        }
    }

    @Test func `a client that reads too slowly receives the position at which to continue`()
        async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let follower = Follower()
        let reads = Signal()
        async let end = follower.follow(feed, pausing: { await reads.wait() })
        try await follower.wait(for: 1)
        for value in 0...(EventHistory.maximumEvents) {
            feed.record(.refused, "\(value)")
            if value.isMultiple(of: 1000) {
                await loop.advanceTime(by: EventFeed.collectionInterval)
            }
        }
        await loop.advanceTime(by: EventFeed.collectionInterval)
        reads.send()
        guard case .eventsGone(feed.instance, let number)? = await end as? ControlError else {
            Issue.record("it was not told")
            return
        }
        #expect(number == (follower.replies.first?.number ?? 0) + EventHistory.maximumEvents + 1)
        #expect(
            await follower.follow(
                feed, after: (feed.instance, number),
                pausing: {
                    withUnsafeCurrentTask { $0?.cancel() }
                }) is CancellationError)
    }

    @Test func `all events that an application reports together are published`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        try await withFollower(feed) { follower in
            feed.receive(
                [
                    ApplicationEvent(.launched, scene: "main"),
                    ApplicationEvent(.closed, scene: "other"),
                ], of: "a")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 3)
            #expect(follower.replies.dropFirst().map(\.event?.scene) == ["main", "other"])
        }
    }

    @Test func `changes after a publication are collected for a whole interval`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let step = TimeAmount.nanoseconds(EventFeed.collectionInterval.nanoseconds / 5)
        try await withFollower(feed) { follower in
            feed.receive(Self.change(1), of: "a")
            await loop.advanceTime(by: step * 4)
            feed.receive(Self.change(2), of: "a")
            await loop.advanceTime(by: step)
            try await follower.wait(for: 2)
            await loop.advanceTime(by: step)
            // The next interval begins here, and not at the second change.
            feed.receive(Self.change(3), of: "a")
            await loop.advanceTime(by: step * 3)
            feed.receive(Self.change(4), of: "a")
            await loop.advanceTime(by: step * 2)
            feed.record(.refused, "last")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 4)
            #expect(
                follower.replies.dropFirst().map { $0.event?.values }
                    == [["a": .integer(2)], ["a": .integer(4)], nil])
        }
    }

    @Test func `a client whose position is gone receives only the error`() async {
        let feed = EventFeed(eventLoop: NIOAsyncTestingEventLoop(), now: { 0 })
        let follower = Follower()
        let error = await follower.follow(feed, after: (feed.instance, 7))
        #expect(error is ControlError)
        #expect(follower.replies.isEmpty)
    }

    @Test func `an event is not displaced by the position after many skipped events`() async throws
    {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let follower = Follower()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { _ = await follower.follow(feed, EventFilter(kinds: [.durable])) }
            try await follower.wait(for: 1)
            for number in 1...999 { feed.record(.refused, "\(number)") }
            feed.receive([ApplicationEvent(.durable)], of: "a")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await follower.wait(for: 2)
            #expect(follower.replies[1].event?.kind == .durable)
            #expect(follower.replies[1].number == follower.replies[0].number + 1000)
            tasks.cancelAll()
        }
    }

    @Test func `skipped events are counted up to the byte`() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let (everything, filtered) = (Follower(), Follower())
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { _ = await everything.follow(feed) }
            tasks.addTask { _ = await filtered.follow(feed, EventFilter(kinds: [.durable])) }
            try await everything.wait(for: 1)
            try await filtered.wait(for: 1)
            feed.record(.refused, "x")
            await loop.advanceTime(by: EventFeed.collectionInterval)
            try await everything.wait(for: 2)
            // Both events have numbers with one digit, so only their messages differ in length.
            let bytes = try JSONText.write(everything.replies[1]).count
            let message = EventHistory.maximumBytes / 10 - 2 * bytes + 1
            feed.record(.refused, String(repeating: "x", count: message))
            await loop.run()
            try await filtered.wait(for: 2)
            #expect(filtered.replies[1].event == nil)
            #expect(filtered.replies[1].number == filtered.replies[0].number + 2)
            tasks.cancelAll()
        }
    }

    @Test(arguments: [0, 1])
    func `following ends when a reply cannot be sent`(sentCount: Int) async throws {
        struct Failure: Error {}
        let loop = NIOAsyncTestingEventLoop()
        let feed = EventFeed(eventLoop: loop, now: { 0 })
        let sent = AwaitableState(0)
        let hasEnded = AwaitableState(false)
        let following = Task {
            do {
                try await feed.follow(EventFilter(), after: nil) { _ in
                    if sent.state == sentCount { throw Failure() }
                    sent.change { $0 += 1 }
                }
            } catch is Failure {
                hasEnded.change { $0 = true }
            } catch {
                Issue.record(error)
            }
        }
        defer { following.cancel() }
        if sentCount > 0 {
            try await waitUntil("the first reply was sent") { sent.state == 1 }
            feed.record(.refused, "x")
            await loop.advanceTime(by: EventFeed.collectionInterval)
        }
        try await waitUntil("following ends") { hasEnded.state }
        #expect(sent.state == sentCount)
        #expect(feed.followerCount == 0)
    }
}
