import RepriseControl
import TestSupport
import Testing

@testable import Reprise

@Suite struct EventFilterTests {
    private static func event(
        _ kind: EventKind, _ application: String? = "a", _ scene: String? = "main",
        _ path: String? = nil
    ) -> EventSubject {
        EventSubject(kind: kind, application: application, scene: scene, path: path)
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: scenes and paths whose bytes differ are distinct`(one: String, other: String) {
        let event = Self.event(.changed, "a", one, "nav/\(one)")
        #expect(event != Self.event(.changed, "a", other, "nav/\(one)"))
        #expect(event != Self.event(.changed, "a", one, "nav/\(other)"))
        #expect(Set([event, Self.event(.changed, "a", one, "nav/\(other)")]).count == 2)
        #expect(!EventFilter(scene: other).accepts(event))
        #expect(!EventFilter(path: "nav/\(other)").accepts(event))
        #expect(EventFilter(scene: one, path: "nav/\(one)").accepts(event))
    }

    @Test func `an application filter accepts events of the application, and none of the daemon`() {
        let filter = EventFilter(application: "a")
        #expect(filter.accepts(Self.event(.changed)))
        #expect(!filter.accepts(Self.event(.changed, "b")))
        #expect(!filter.accepts(Self.event(.refused, nil, nil)))
        #expect(EventFilter().accepts(Self.event(.refused, nil, nil)))
    }

    @Test func `a scene filter accepts the scene's events and the replacement of the whole state`()
    {
        let filter = EventFilter(scene: "main")
        #expect(filter.accepts(Self.event(.pass)))
        #expect(!filter.accepts(Self.event(.pass, "a", "other")))
        #expect(!filter.accepts(Self.event(.launched, "a", "other")))
        #expect(filter.accepts(Self.event(.exchanged, "a", nil)))
        #expect(!filter.accepts(Self.event(.durable, "a", nil)))
    }

    @Test func `a path filter accepts events at or below the path and the removal of an ancestor`()
    {
        let filter = EventFilter(path: "nav/parent")
        for path in ["nav/parent", "nav/parent/child1"] {
            #expect(filter.accepts(Self.event(.changed, "a", "main", path)))
        }
        for path in ["nav", "nav/parent2", "nav/other", "other/nav/parent"] {
            #expect(!filter.accepts(Self.event(.changed, "a", "main", path)))
        }
        #expect(filter.accepts(Self.event(.disappeared, "a", "main", "nav")))
        #expect(!filter.accepts(Self.event(.disappeared, "a", "main", "nav/other")))
        #expect(!filter.accepts(Self.event(.disappeared, "a", "main", "na")))
        #expect(filter.accepts(Self.event(.launched)))
        #expect(!filter.accepts(Self.event(.pass)))
    }

    @Test func `a filter with kinds rejects all other kinds`() {
        let filter = EventFilter(path: "nav", kinds: [.changed])
        #expect(filter.accepts(Self.event(.changed, "a", "main", "nav/parent")))
        #expect(!filter.accepts(Self.event(.launched)))
    }

    @Test func `a filter accepts each of its kinds`() {
        let kinds: Set<EventKind> = [.changed, .pass, .durable, .problem]
        let filter = EventFilter(kinds: kinds)
        let accepted = EventKind.allCases.filter { filter.accepts(Self.event($0)) }
        #expect(Set(accepted) == kinds)
    }
}
