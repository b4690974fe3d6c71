import RepriseControl
import StateRestoration
import TestSupport
import Testing

@Suite struct ChildViewsTests {
    private static let field1 = "nav/parent/child1/textField"
    private static let field2 = "nav/parent/child2/textField"

    private static let cases: [(first: String, second: String, index: Int)] =
        [("hello", ""), ("", "wörld 🌍"), ("hello", "wörld 🌍"), ("", "")]
        .flatMap { texts in [0, 1].map { (texts.0, texts.1, $0) } }

    @Test(arguments: cases.indices)
    func `A1: the texts of both children and the selected index are restored`(
        number: Int
    ) async throws {
        let (first, second, index) = Self.cases[number]
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory) { childViews in
                try await childViews.type(first, at: Self.field1)
                try await childViews.type(second, at: Self.field2)
                try await childViews.select(index)
            }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(seen.first == .string(first))
            #expect(seen.second == .string(second))
            #expect(seen.index == .integer(Int64(index)))
            #expect(seen.segment == .integer(Int64(index)))
            #expect(seen.picture.contains(index == 0 ? "[ First ]" : "[ Second ]"))
            #expect(seen.picture.contains("│ │ \(index == 0 ? first : second)▏"))
            #expect(seen.report.reason == .restore)
            #expect(seen.report.recorded == 7)
            #expect(seen.report.restored == 7)
            #expect(seen.report.unrestored == [])
        }
    }

    @Test func `A1: choosing a segment swaps the visible child's view`() async throws {
        try await withScratchDirectory { directory in
            let pictures = try await withChildViews(in: directory) { childViews in
                try await childViews.type("one", at: Self.field1)
                try await childViews.type("two", at: Self.field2)
                var pictures = [try await childViews.picture()]
                for index in [1, 0] {
                    try await childViews.select(index)
                    pictures.append(try await childViews.picture())
                }
                return pictures
            }
            #expect(pictures.map { $0.contains("one▏") } == [true, false, true])
            #expect(pictures.map { $0.contains("two▏") } == [false, true, false])
        }
    }

    @Test func `A1: a child that was never shown keeps its text`() async throws {
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory) { childViews in
                try await childViews.type("never seen", at: Self.field2)
            }
            let hidden = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(hidden.second == .string("never seen"))
            #expect(!hidden.picture.contains("never seen"))
            let shown = try await withChildViews(in: directory) { childViews in
                try await childViews.select(1)
                return try await childViews.seen()
            }
            #expect(shown.second == .string("never seen"))
            #expect(shown.picture.contains("never seen▏"))
        }
    }

    @Test func `A1: untouched children are restored with empty text`() async throws {
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory) { _ in }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(seen.report.restored == 7)
            #expect(seen.first == .string(""))
            #expect(seen.second == .string(""))
            #expect(seen.picture.contains("[ First ]"))
        }
    }

    @Test(arguments: [nil, 2, 7, -1, Int.max, Int.min])
    func `A1: a missing or out-of-range index selects the first child`(index: Int?) async throws {
        let older = OlderChildViews(index: index, childText: "kept")
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory, hosted: older.hosted) { _ in }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(seen.report.reason == .restore)
            #expect(seen.report.recorded == 7)
            #expect(seen.report.unrestored == [])
            #expect(seen.index == .integer(0))
            // The control was saved with the second segment selected, but follows the parent.
            #expect(seen.segment == .integer(0))
            #expect(seen.first == .string("kept"))
            // No text was typed into the older field, so its caret was saved at the start.
            #expect(seen.picture.contains("▏kept"))
        }
    }

    @Test func `A1: a child whose text is missing is restored with empty text`() async throws {
        let older = OlderChildViews(index: 1)
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory, hosted: older.hosted) { _ in }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(seen.report.restored == 7)
            #expect(seen.first == .string(""))
            #expect(seen.second == .string(""))
            #expect(seen.picture.contains("[ Second ]"))
        }
    }

    @Test func `A1: an index of the wrong type is reported, and the children are restored`()
        async throws
    {
        let older = OlderChildViews(indexText: "second", childText: "kept")
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory, hosted: older.hosted) { _ in }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(seen.report.unrestored.map(\.path) == ["nav/parent"])
            #expect(seen.report.unrestored.map(\.code) == [.decodeFailed])
            #expect(seen.second == .string("kept"))
            #expect(seen.picture.contains("[ First ]"))
        }
    }

    @Test func `A1: the caret of a text field is restored`() async throws {
        try await withScratchDirectory { directory in
            try await withChildViews(in: directory) { childViews in
                try await childViews.type("hello", at: Self.field1)
            }
            let seen = try await withChildViews(in: directory) { try await $0.seen() }
            #expect(
                seen.caret
                    == .object(["lowerBound": .integer(5), "upperBound": .integer(5)]))
        }
    }
}
