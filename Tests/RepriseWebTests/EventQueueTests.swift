import Testing

@testable import RepriseWeb

@Suite struct EventQueueTests {
    private let queue = EventQueue()

    /// Sizes of the events that wait when the queue has ended.
    private func sizes() async -> [Int] {
        queue.finish()
        var sizes: [Int] = []
        for await event in queue.events { sizes.append(event.count) }
        return sizes
    }

    @Test func `an event has a name and a line of data`() async {
        queue.send("scene", Array("{}".utf8))
        queue.finish()
        for await event in queue.events {
            #expect(event == Array("event: scene\ndata: {}\n\n".utf8))
        }
    }

    @Test func `the queue ends if too many events wait`() async {
        for _ in 0..<EventQueue.maximumEvents { queue.send("a", []) }
        queue.send("a", [])
        // The queue has ended, although an event is removed.
        var iterator = queue.events.makeAsyncIterator()
        let event = await iterator.next()
        #expect(event != nil)
        queue.send("a", [])
        #expect(await sizes().count == EventQueue.maximumEvents - 1)
    }

    @Test func `the queue ends if the events that wait are too large`() async {
        let half = [UInt8](repeating: 0, count: EventQueue.maximumBytes / 2)
        queue.send("a", half)
        queue.send("a", half)
        queue.send("a", [])
        #expect(await sizes().count == 2)
    }

    @Test func `the last event can be larger than the maximum`() async {
        queue.send("a", [])
        queue.send("a", [UInt8](repeating: 0, count: EventQueue.maximumBytes + 1))
        queue.send("a", [])
        #expect(await sizes().count == 2)
    }

    @Test func `an event that was sent does not count`() async {
        let half = [UInt8](repeating: 0, count: EventQueue.maximumBytes / 2)
        var iterator = queue.events.makeAsyncIterator()
        for _ in 0..<4 {
            queue.send("a", half)
            queue.didSend(await iterator.next() ?? [])
        }
        queue.send("a", half)
        #expect(await sizes().count == 1)
    }
}

@Suite struct ScenePresenceTests {
    private let presence = ScenePresence()
    private let scene = SceneAddress(application: "a", scene: "s")

    private func session(_ identifier: String, _ role: Session.Role = .user) -> Session {
        Session(identifier: identifier, role: role, expiration: 0)
    }

    /// Returns the sentences that a page has received.
    private func sentences(_ queue: EventQueue) async -> [String] {
        queue.finish()
        var sentences: [String] = []
        for await event in queue.events {
            let text = String(decoding: event, as: UTF8.self)
            sentences.append(
                text.replacing("event: presence\ndata: {\"text\":\"", with: "").replacing(
                    "\"}\n\n", with: ""))
        }
        return sentences
    }

    @Test func `each page learns which other sessions display its scene`() async {
        let (first, second, third, other) = (EventQueue(), EventQueue(), EventQueue(), EventQueue())
        presence.join(scene, session("1"), first)
        presence.join(SceneAddress(application: "a", scene: "t"), session("4"), other)
        presence.join(scene, session("2", .observer), second)
        presence.join(scene, session("3"), third)
        presence.leave(scene, second)
        presence.leave(scene, third)
        #expect(
            await sentences(first) == [
                "", "Also here: 1 observer", "Also here: 1 user, 1 observer", "Also here: 1 user",
                "",
            ])
        #expect(await sentences(second) == ["Also here: 1 user", "Also here: 2 users"])
        #expect(await sentences(third) == ["Also here: 1 user, 1 observer", "Also here: 1 user"])
        #expect(await sentences(other) == [""])
    }

    @Test func `two pages of a browser count once`() async {
        let (first, second, third) = (EventQueue(), EventQueue(), EventQueue())
        presence.join(scene, session("1"), first)
        presence.join(scene, session("2"), second)
        presence.join(scene, session("2"), third)
        presence.leave(scene, second)
        presence.leave(scene, second)
        #expect(await sentences(first) == ["", "Also here: 1 user"])
        #expect(await sentences(third) == ["Also here: 1 user"])
    }
}
