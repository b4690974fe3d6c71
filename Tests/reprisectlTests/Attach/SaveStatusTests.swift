import RepriseControl
import Testing

@testable import reprisectl

/// Status of the last change, and the warning that it was not saved.
@Suite struct SaveStatusTests {
    private let start = ContinuousClock.now

    @Test func `the warning stays while the application is not saved`() {
        var status = SaveStatus()
        #expect(status.warning == nil && status.checkTime == nil && status.level == nil)
        status.changeDidFinish(.no, "the disk is full", now: start)
        #expect(status.warning == "NOT SAVED: the disk is full")
        #expect(status.checkTime == start && status.level == .no)
        status.checkDidFinish(.no, now: start)
        #expect(status.checkTime == start + SaveStatus.checkInterval)
        // Another change does not make the checks more frequent.
        status.changeDidFinish(.no, nil, now: start)
        #expect(status.warning == "NOT SAVED")
        #expect(status.checkTime == start + SaveStatus.checkInterval)
        status.checkDidFinish(nil, now: start + .seconds(2))
        #expect(status.warning != nil && status.checkTime == start + .seconds(4))
        #expect(status.level == .no)
        status.checkDidFinish(.durable, now: start + .seconds(4))
        #expect(status.warning == nil && status.checkTime == nil && status.level == .durable)
    }

    @Test func `a warning about one object stays until another change is saved`() {
        var status = SaveStatus()
        status.changeDidFinish(.no, "it has no identifier", now: start)
        status.checkDidFinish(.written, now: start)
        #expect(status.warning == "NOT SAVED: it has no identifier")
        #expect(status.checkTime == nil && status.level == .no)
        status.changeDidFinish(.written, nil, now: start)
        #expect(status.warning == nil && status.checkTime == nil && status.level == .written)
    }
}
