import Preservation
import RepriseControl
import StateRestoration
import Testing

@testable import Reprise

@Suite struct EventGatheringTests {
    private static func take(_ events: ApplicationEvent...) -> [Event] {
        var gathering = EventGathering()
        for event in events { gathering.add(event, of: "a", time: "t") }
        return gathering.take()
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
        #expect(events[0].values == ["a": .integer(3), "c": .object(["bytes": .integer(99)])])
        #expect(events[0].removed == ["b"])
        #expect(events[1].values == ["a": .integer(2)])
        #expect(events[1].removed == nil)
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

    @Test func `of the passes of a scene the last is told, behind what it saved`() {
        let events = Self.take(
            Self.change("x", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            Self.change("y", ["a": .value(.integer(1))]), ApplicationEvent(.pass, scene: "main"),
            ApplicationEvent(.pass, scene: "other"))
        #expect(events.map(\.kind) == [.changed, .changed, .pass, .pass])
        #expect(events.map(\.scene) == ["main", "main", "main", "other"])
    }

    @Test func `every kind of an application's events has its name on the wire`() {
        for kind in ApplicationEvent.Kind.allCases {
            #expect(EventKind(kind).rawValue == kind.rawValue)
        }
    }
}
