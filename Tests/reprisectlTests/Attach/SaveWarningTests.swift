import RepriseControl
import Testing

@testable import reprisectl

/// Warning that a change was not saved.
@Suite struct SaveWarningTests {
    private let start = ContinuousClock.now

    @Test func `the warning stays while the application is not saved`() {
        var warning = SaveWarning()
        #expect(warning.text == nil && warning.checkTime == nil)
        warning.changeDidFinish(.no, "the disk is full", now: start)
        #expect(warning.text == "NOT SAVED: the disk is full")
        #expect(warning.checkTime == start)
        warning.checkDidFinish(.no, now: start)
        #expect(warning.checkTime == start + SaveWarning.checkInterval)
        // Another change does not make the checks more frequent.
        warning.changeDidFinish(.no, nil, now: start)
        #expect(warning.text == "NOT SAVED")
        #expect(warning.checkTime == start + SaveWarning.checkInterval)
        warning.checkDidFinish(nil, now: start + .seconds(2))
        #expect(warning.text != nil && warning.checkTime == start + .seconds(4))
        warning.checkDidFinish(.written, now: start + .seconds(4))
        #expect(warning.text == nil && warning.checkTime == nil)
    }

    @Test func `a warning about one object stays until another change is saved`() {
        var warning = SaveWarning()
        warning.changeDidFinish(.no, "it has no identifier", now: start)
        warning.checkDidFinish(.written, now: start)
        #expect(warning.text == "NOT SAVED: it has no identifier")
        #expect(warning.checkTime == nil)
        warning.changeDidFinish(.written, nil, now: start)
        #expect(warning.text == nil && warning.checkTime == nil)
    }
}
