import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing

@testable import Reprise

@Suite struct EventGatheringTests {
    private static func take(_ events: ApplicationEvent...) -> [Event] {
        var gathering = EventGathering()
        for event in events { gathering.add(GatheredEvent(event, of: "a", time: 0)) }
        return gathering.popAll()?.map(\.clientEvent) ?? []
    }

    private static func change(
        _ path: String, _ values: [String: ApplicationEvent.ChangedValue],
        _ kind: ApplicationEvent.Kind = .changed
    ) -> ApplicationEvent {
        ApplicationEvent(kind, scene: "main", path: path, values: values)
    }

    @Test func `what changes of one object is one event, with the newest values`() {
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
    func `I5: changes of two applications stay two events`(one: String, other: String) {
        var gathering = EventGathering()
        for application in [one, other, one] {
            gathering.add(GatheredEvent(Self.change("x", [:]), of: application, time: 0))
        }
        #expect(
            gathering.popAll()?.map { Array(($0.subject.application ?? "").utf8) }
                == [Array(one.utf8), Array(other.utf8)])
    }

    @Test func `a value that comes back is not removed`() {
        let events = Self.take(
            Self.change("x", ["a": .removed]), Self.change("x", ["a": .value(.null)]))
        #expect(events.count == 1)
        #expect(events[0].values == ["a": .null])
        #expect(events[0].removed == nil)
    }

    @Test func `an object that appeared and changed has appeared so`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))], .appeared),
            Self.change("x", ["b": .value(.integer(2))]))
        #expect(events.map(\.kind) == [.appeared])
        #expect(events[0].values == ["a": .integer(1), "b": .integer(2)])
    }

    @Test func `nothing is joined across what makes objects old`() {
        for kind in [ApplicationEvent.Kind.disappeared, .launched, .exchanged, .closed] {
            let events = Self.take(
                Self.change("x", ["a": .value(.integer(1))]),
                ApplicationEvent(kind, scene: "main", path: kind == .disappeared ? "x" : nil),
                Self.change("x", ["a": .value(.integer(2))], .appeared))
            #expect(events.map(\.kind) == [.changed, EventKind(kind), .appeared])
        }
    }

    @Test func `a change is not joined with one before an event that makes objects old`() {
        for kind in [ApplicationEvent.Kind.disappeared, .launched, .exchanged, .durable] {
            let change = Self.change("x", ["a": .value(.integer(1))])
            let events = Self.take(change, ApplicationEvent(kind, scene: "main"), change)
            #expect(events.map(\.kind) == [.changed, EventKind(kind), .changed])
        }
    }

    @Test func `of the passes of a scene the last is told, behind what it saved`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            Self.change("y", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            ApplicationEvent(.pass, scene: "other"))
        #expect(events.map(\.kind) == [.changed, .changed, .pass, .pass])
        #expect(events.map(\.scene) == ["main", "main", "main", "other"])
    }

    @Test func `an application's events are joined whatever happens in another`() {
        var gathering = EventGathering()
        let change = Self.change("x", ["a": .value(.integer(1))])
        gathering.add(GatheredEvent(change, of: "a", time: 0))
        gathering.add(GatheredEvent(ApplicationEvent(.launched), of: "b", time: 0))
        gathering.add(GatheredEvent(change, of: "a", time: 0))
        #expect(gathering.popAll()?.map(\.subject.kind) == [.changed, .launched])
    }

    @Test func `what is gathered is bounded by number and by bytes, and gone above that`() {
        func gathering(_ count: Int, bytes: Int) -> EventGathering {
            var gathering = EventGathering()
            for number in 0..<count {
                var event = Self.change("\(number)", [:])
                event.byteCount = bytes
                gathering.add(GatheredEvent(event, of: "a", time: 0))
            }
            return gathering
        }
        #expect(!gathering(EventGathering.maximumPending - 1, bytes: 1).isFull)
        #expect(gathering(EventGathering.maximumPending, bytes: 1).isFull)
        #expect(gathering(1, bytes: EventGathering.maximumPendingBytes).isFull)
        var many = gathering(EventHistory.maximumEvents, bytes: 1)
        #expect(many.popAll()?.count == EventHistory.maximumEvents)
        many = gathering(EventHistory.maximumEvents + 1, bytes: 1)
        #expect(many.isFull)
        #expect((many.popAll() == nil))
        many = gathering(16, bytes: 1 << 20)
        #expect(many.popAll()?.count == 16)
        many = gathering(17, bytes: 1 << 20)
        #expect((many.popAll() == nil))
        #expect(many.popAll()?.isEmpty == true)
    }

    @Test func `what is joined counts its bytes once`() {
        var gathering = EventGathering()
        var change = Self.change("x", ["a": .value(.integer(1))])
        change.byteCount = EventGathering.maximumPendingBytes / 2 + 1
        for _ in 0..<100 { gathering.add(GatheredEvent(change, of: "a", time: 0)) }
        #expect(!gathering.isFull)
        change.values = ["b": .value(.integer(1))]
        gathering.add(GatheredEvent(change, of: "a", time: 0))
        #expect(gathering.isFull)
    }

    @Test func `every kind of an application's events has its name on the wire`() {
        for kind in ApplicationEvent.Kind.allCases {
            #expect(EventKind(kind).rawValue == kind.rawValue)
        }
    }
}
