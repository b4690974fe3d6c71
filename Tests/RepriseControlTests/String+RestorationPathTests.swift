import Testing

@testable import RepriseControl

@Suite struct StringRestorationPathTests {
    @Test(arguments: [
        ("nav", "nav", true), ("nav/list", "nav", true), ("nav/list/row", "nav", true),
        ("nav/list", "nav/list", true), ("nav", "nav/list", false), ("navigation", "nav", false),
        ("bar/list", "nav", false), ("bar", "nav", false), ("nav", "", false),
        ("caf\u{E9}/list", "caf\u{E9}", true), ("cafe\u{301}/list", "caf\u{E9}", false),
        ("cafe\u{301}", "caf\u{E9}", false),
    ])
    func `I5: a path is at or below another path only if their bytes match`(
        path: String, other: String, isAtOrBelow: Bool
    ) {
        #expect(path.isAtOrBelow(other) == isAtOrBelow)
    }
}
