import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

@Suite struct PendingEventsTests {
    private static func take(_ events: ApplicationEvent...) -> [Event] {
        var pending = PendingEvents()
        for event in events { pending.add(PendingEvent(event, of: "a", time: 0)) }
        return pending.popAll()?.map(\.clientEvent) ?? []
    }

    private static func change(
        _ path: String, _ values: [String: ApplicationEvent.ChangedValue],
        _ kind: ApplicationEvent.Kind = .changed
    ) -> ApplicationEvent {
        ApplicationEvent(kind, scene: "main", path: path, values: values)
    }

    @Test func `changes to one object are merged into one event with the newest values`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1)), "b": .value(.bool(true))]),
            Self.change("y", ["a": .value(.integer(2))]),
            Self.change("x", ["a": .value(.integer(3)), "b": .removed, "c": .large(bytes: 99)]))
        #expect(events.map(\.path) == ["x", "y"])
        #expect(events[0].values == ["a": .integer(3)])
        #expect(events[0].large == ["c": 99])
        #expect(events[0].removed == ["b"])
        #expect(events[1].values == ["a": .integer(2)])
        #expect(events[1].removed == nil)
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: changes in applications whose names differ in bytes remain separate events`(
        one: String, other: String
    ) {
        var pending = PendingEvents()
        for application in [one, other, one] {
            pending.add(PendingEvent(Self.change("x", [:]), of: application, time: 0))
        }
        #expect(
            pending.popAll()?.map { Array(($0.subject.application ?? "").utf8) }
                == [Array(one.utf8), Array(other.utf8)])
    }

    @Test func `a value that is set again is not reported as removed`() {
        let events = Self.take(
            Self.change("x", ["a": .removed]), Self.change("x", ["a": .value(.null)]))
        #expect(events.count == 1)
        #expect(events[0].values == ["a": .null])
        #expect(events[0].removed == nil)
    }

    @Test func `an object that appears and then changes is reported once, as appeared`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))], .appeared),
            Self.change("x", ["b": .value(.integer(2))]))
        #expect(events.map(\.kind) == [.appeared])
        #expect(events[0].values == ["a": .integer(1), "b": .integer(2)])
    }

    @Test
    func `an appearance is not merged with changes before a removal, launch, replacement or close`()
    {
        for kind in [ApplicationEvent.Kind.disappeared, .launched, .exchanged, .closed] {
            let events = Self.take(
                Self.change("x", ["a": .value(.integer(1))]),
                ApplicationEvent(kind, scene: "main", path: kind == .disappeared ? "x" : nil),
                Self.change("x", ["a": .value(.integer(2))], .appeared))
            #expect(events.map(\.kind) == [.changed, EventKind(kind), .appeared])
        }
    }

    @Test func `changes are not merged across a removal, launch, replacement or durability event`()
    {
        for kind in [ApplicationEvent.Kind.disappeared, .launched, .exchanged, .durable] {
            let change = Self.change("x", ["a": .value(.integer(1))])
            let events = Self.take(change, ApplicationEvent(kind, scene: "main"), change)
            #expect(events.map(\.kind) == [.changed, EventKind(kind), .changed])
        }
    }

    @Test func `only a scene's last pass is reported, after the changes that it saved`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            Self.change("y", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            ApplicationEvent(.pass, scene: "other"))
        #expect(events.map(\.kind) == [.changed, .changed, .pass, .pass])
        #expect(events.map(\.scene) == ["main", "main", "main", "other"])
    }

    @Test func `events of an application are merged regardless of events in another application`() {
        var pending = PendingEvents()
        let change = Self.change("x", ["a": .value(.integer(1))])
        pending.add(PendingEvent(change, of: "a", time: 0))
        pending.add(PendingEvent(ApplicationEvent(.launched), of: "b", time: 0))
        pending.add(PendingEvent(change, of: "a", time: 0))
        #expect(pending.popAll()?.map(\.subject.kind) == [.changed, .launched])
    }

    @Test func `pending events are limited in number and bytes, and are dropped above the limits`()
    {
        func pending(_ count: Int, bytes: Int) -> PendingEvents {
            var pending = PendingEvents()
            for number in 0..<count {
                var event = Self.change("\(number)", [:])
                event.byteCount = bytes
                pending.add(PendingEvent(event, of: "a", time: 0))
            }
            return pending
        }
        #expect(
            !pending(PendingEvents.maximumPendingEvents - 1, bytes: 1).needsImmediatePublication)
        #expect(pending(PendingEvents.maximumPendingEvents, bytes: 1).needsImmediatePublication)
        #expect(pending(1, bytes: PendingEvents.maximumPendingBytes).needsImmediatePublication)
        var many = pending(EventHistory.maximumEvents, bytes: 1)
        #expect(many.popAll()?.count == EventHistory.maximumEvents)
        many = pending(EventHistory.maximumEvents + 1, bytes: 1)
        #expect(many.needsImmediatePublication)
        #expect((many.popAll() == nil))
        many = pending(16, bytes: 1 << 20)
        #expect(many.popAll()?.count == 16)
        many = pending(17, bytes: 1 << 20)
        #expect((many.popAll() == nil))
        #expect(many.popAll()?.isEmpty == true)
    }

    @Test func `merged changes count their bytes once`() {
        var pending = PendingEvents()
        var change = Self.change("x", ["a": .value(.integer(1))])
        change.byteCount = PendingEvents.maximumPendingBytes / 2 + 1
        for _ in 0..<100 { pending.add(PendingEvent(change, of: "a", time: 0)) }
        #expect(!pending.needsImmediatePublication)
        change.values = ["b": .value(.integer(1))]
        pending.add(PendingEvent(change, of: "a", time: 0))
        #expect(pending.needsImmediatePublication)
    }

    @Test func `every kind of application event has the same name on the wire`() {
        for kind in ApplicationEvent.Kind.allCases {
            #expect(EventKind(kind).rawValue == kind.rawValue)
        }
    }

    @Test func `an appearance is not merged into an earlier change`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))]),
            Self.change("x", ["b": .value(.integer(2))], .appeared))
        #expect(events.map(\.kind) == [.changed, .appeared])
    }

    @Test(arguments: [0, 1])
    func `one byte above the limit drops all events`(excess: Int) {
        var pending = PendingEvents()
        for byteCount in [EventHistory.maximumBytes, excess] {
            var event = Self.change("\(byteCount)", [:])
            event.byteCount = byteCount
            pending.add(PendingEvent(event, of: "a", time: 0))
        }
        #expect(pending.popAll()?.count == (excess == 0 ? 2 : nil))
    }

    @Test func `a replaced pass does not count toward the limit on bytes`() {
        var pending = PendingEvents()
        var pass = ApplicationEvent(.pass, scene: "main")
        pass.byteCount = PendingEvents.maximumPendingBytes / 2 + 1
        for _ in 1...3 { pending.add(PendingEvent(pass, of: "a", time: 0)) }
        #expect(!pending.needsImmediatePublication)
        #expect(pending.popAll()?.count == 1)
    }

    @Test func `a change that leaves any earlier value in place counts the bytes of both changes`()
    {
        let keys = (1...10).map { "key \($0)" }
        func change(_ keys: [String]) -> PendingEvent {
            var values: [String: ApplicationEvent.ChangedValue] = [:]
            for key in keys { values[key] = .value(.null) }
            var change = Self.change("x", values)
            change.byteCount = PendingEvents.maximumPendingBytes / 2 + 1
            return PendingEvent(change, of: "a", time: 0)
        }
        for key in keys {
            var pending = PendingEvents()
            pending.add(change(keys))
            pending.add(change(keys.filter { $0 != key }))
            #expect(pending.needsImmediatePublication, "\(key)")
        }
    }
}
