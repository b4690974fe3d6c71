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
    func `I5: objects whose paths differ in their bytes are two`(one: String, other: String) {
        let event = Self.event(.changed, "a", one, "nav/\(one)")
        #expect(event != Self.event(.changed, "a", other, "nav/\(one)"))
        #expect(event != Self.event(.changed, "a", one, "nav/\(other)"))
        #expect(Set([event, Self.event(.changed, "a", one, "nav/\(other)")]).count == 2)
        #expect(!EventFilter(scene: other).takes(event))
        #expect(!EventFilter(path: "nav/\(other)").takes(event))
        #expect(EventFilter(scene: one, path: "nav/\(one)").takes(event))
    }

    @Test func `an application takes its events, and none of the daemon`() {
        let filter = EventFilter(application: "a")
        #expect(filter.takes(Self.event(.changed)))
        #expect(!filter.takes(Self.event(.changed, "b")))
        #expect(!filter.takes(Self.event(.refused, nil, nil)))
        #expect(EventFilter().takes(Self.event(.refused, nil, nil)))
    }

    @Test func `a scene takes its events, and what makes all scenes old`() {
        let filter = EventFilter(scene: "main")
        #expect(filter.takes(Self.event(.pass)))
        #expect(!filter.takes(Self.event(.pass, "a", "other")))
        #expect(!filter.takes(Self.event(.launched, "a", "other")))
        #expect(filter.takes(Self.event(.exchanged, "a", nil)))
        #expect(!filter.takes(Self.event(.durable, "a", nil)))
    }

    @Test func `a path takes what is at it and below, and that an object above went`() {
        let filter = EventFilter(path: "nav/parent")
        for path in ["nav/parent", "nav/parent/child1"] {
            #expect(filter.takes(Self.event(.changed, "a", "main", path)))
        }
        for path in ["nav", "nav/parent2", "nav/other", "other/nav/parent"] {
            #expect(!filter.takes(Self.event(.changed, "a", "main", path)))
        }
        #expect(filter.takes(Self.event(.disappeared, "a", "main", "nav")))
        #expect(!filter.takes(Self.event(.disappeared, "a", "main", "nav/other")))
        #expect(!filter.takes(Self.event(.disappeared, "a", "main", "na")))
        #expect(filter.takes(Self.event(.launched)))
        #expect(!filter.takes(Self.event(.pass)))
    }

    @Test func `kinds leave out all others`() {
        let filter = EventFilter(path: "nav", kinds: [.changed])
        #expect(filter.takes(Self.event(.changed, "a", "main", "nav/parent")))
        #expect(!filter.takes(Self.event(.launched)))
    }
}
