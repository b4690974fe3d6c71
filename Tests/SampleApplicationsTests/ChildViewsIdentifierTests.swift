import Preservation
import RepriseControl
import StateRestoration
import TestSupport
import Testing

/// Tests which objects are no longer preserved after identifiers have been removed from the
/// storyboard, and which reasons `tree` shows.
@Suite struct ChildViewsIdentifierTests {
    private static let none = "it has no restoration identifier"

    private func gap(_ address: String) -> String {
        "\(address), above it, has no restoration identifier"
    }

    /// Fills both fields, shows the second child, and returns the visible state before and after a
    /// restart.
    private func fillAndRestart(
        _ directory: String, without removed: [String], parent: String = "nav/parent",
        child1: String = "child1"
    ) async throws -> (before: Seen, after: Seen) {
        let before = try await withChildViews(in: directory, without: removed) { childViews in
            try await childViews.type("one", at: "\(parent)/\(child1)/textField")
            try await childViews.select(1, at: "\(parent)/segmentedControl")
            try await childViews.type("two", at: "\(parent)/child2/textField")
            return try await childViews.seen(parent: parent, child1: child1)
        }
        let after = try await withChildViews(in: directory, without: removed) { childViews in
            try await childViews.seen(parent: parent, child1: child1)
        }
        return (before, after)
    }

    @Test func `A1: everything is preserved if every object has an identifier`() async throws {
        try await withScratchDirectory { directory in
            let (before, after) = try await fillAndRestart(directory, without: [])
            #expect(before.omissions.count == 7)
            #expect(Set(before.omissions.values) == [""])
            #expect(after.omissions == before.omissions)
            #expect(after.picture == before.picture)
        }
    }

    @Test func `A1: a child keeps its state when a view gets the same identifier (I3)`()
        async throws
    {
        try await withScratchDirectory { directory in
            let before = try await withChildViews(in: directory) { childViews in
                try await childViews.type("one", at: "nav/parent/child1/textField")
                return try await childViews.seen()
            }
            for _ in 1...2 {
                try await withChildViews(
                    in: directory, renaming: ["segmentedControl": "child1"]
                ) { childViews in
                    let after = try await childViews.seen()
                    #expect(after.first == .string("one"))
                    #expect(after.picture == before.picture)
                    #expect(after.omissions["nav/parent/child1"] == "")
                    #expect(after.omissions["nav/parent/child1~2"]?.contains("sibling") == true)
                    let scene = try #require(await childViews.application.status().scenes.first)
                    #expect(
                        scene.omission
                            == "two objects have the path nav/parent/child1: Child1ViewController "
                            + "is preserved, SegmentedControl is not; give it another identifier")
                }
            }
        }
    }

    @Test func `A1: nothing is preserved if nav has no identifier (P6)`() async throws {
        try await withScratchDirectory { directory in
            let (before, after) = try await fillAndRestart(
                directory, without: ["nav"], parent: "@nav/parent")
            let gap = gap("@nav")
            #expect(
                before.omissions == [
                    "@nav": Self.none, "@nav/parent": gap,
                    "@nav/parent/segmentedControl": gap, "@nav/parent/child1": gap,
                    "@nav/parent/child1/textField": gap, "@nav/parent/child2": gap,
                    "@nav/parent/child2/textField": gap,
                ])
            #expect(before.picture.contains("two▏"))
            #expect(after.report.reason == .restore)
            #expect(after.report.recorded == 0)
            #expect(after.first == .string(""))
            #expect(after.second == .string(""))
            #expect(after.picture.contains("[ First ]"))
        }
    }

    @Test func `A1: only nav is preserved if parent has no identifier (P6)`() async throws {
        try await withScratchDirectory { directory in
            let (before, after) = try await fillAndRestart(
                directory, without: ["parent"], parent: "nav/@parent")
            let gap = gap("nav/@parent")
            #expect(
                before.omissions == [
                    "nav": "", "nav/@parent": Self.none,
                    "nav/@parent/segmentedControl": gap, "nav/@parent/child1": gap,
                    "nav/@parent/child1/textField": gap, "nav/@parent/child2": gap,
                    "nav/@parent/child2/textField": gap,
                ])
            #expect(after.report.recorded == 1)
            #expect(after.report.restored == 1)
            #expect(after.first == .string(""))
            #expect(after.second == .string(""))
            #expect(after.picture.contains("[ First ]"))
        }
    }

    @Test func `A1: only the child without an identifier is lost (P6)`() async throws {
        try await withScratchDirectory { directory in
            let (before, after) = try await fillAndRestart(
                directory, without: ["child1"], child1: "@child1")
            #expect(
                before.omissions == [
                    "nav": "", "nav/parent": "", "nav/parent/segmentedControl": "",
                    "nav/parent/@child1": Self.none,
                    "nav/parent/@child1/textField": gap("nav/parent/@child1"),
                    "nav/parent/child2": "", "nav/parent/child2/textField": "",
                ])
            #expect(after.report.restored == 5)
            #expect(after.first == .string(""))
            #expect(after.second == .string("two"))
            #expect(after.picture.contains("[ Second ]"))
        }
    }

    @Test func `A1: state saved with an identifier is not restored without the identifier`()
        async throws
    {
        try await withScratchDirectory { directory in
            _ = try await fillAndRestart(directory, without: [])
            let seen = try await withChildViews(in: directory, without: ["parent"]) {
                try await $0.seen(parent: "nav/@parent")
            }
            #expect(seen.report.recorded == 7)
            #expect(seen.report.unrestored.first?.path == "nav/parent")
            #expect(seen.report.restored + seen.report.unrestored.count == 7)
            #expect(seen.picture.contains("[ First ]"))
        }
    }

    @Test func `R16: the report counts only records that are still unclaimed`() async throws {
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory) {
                try await $0.select(1)
                try await $0.type("two", at: "nav/parent/child2/textField")
            }
            try await withChildViews(in: directory, without: ["child2"]) { childViews in
                let application = childViews.application
                #expect(try await application.report().unclaimed == 2)
                // The child's path is preserved again.
                _ = try await application.perform { scene in
                    let child = TreeSurvey(scene).object(at: "nav/parent/@child2")
                    child?.restoration.identifier = "child2"
                }
                let report = try await application.report()
                #expect(report.unrestored.count == 2)
                #expect(report.unclaimed == 0)
            }
        }
    }
}
