import Testing

@testable import RepriseControl

@Suite struct DurationArgumentTests {
    @Test(arguments: [
        ("1", Duration.seconds(1)), ("500ms", .milliseconds(500)), ("5s", .seconds(5)),
        ("2m", .seconds(120)), ("3h", .seconds(10_800)), ("1000000h", .seconds(3_600_000_000)),
    ])
    func `a duration is in seconds unless it has a unit`(text: String, duration: Duration) {
        #expect(Duration(argument: text) == duration)
    }

    @Test(arguments: [
        "", "s", "0", "0h", "-1", "+1", "1.5s", "1d", "1 s", " 1", "1H", "1000001", "\u{FF11}s",
        "1s\u{301}", "99999999999999999999",
    ])
    func `other text is not a duration`(text: String) {
        #expect(Duration(argument: text) == nil)
    }
}
