import Testing

@testable import Preservation

@Suite struct IntervalCounterTests {
    /// When each interval passed, in milliseconds, of so many sleeps.
    private func passes(
        saving: Int, history: Int, sleeps: Int
    ) -> (saving: [Int], history: [Int]) {
        var counter = IntervalCounter(
            saving: .milliseconds(saving), history: .milliseconds(history))
        var now = Duration.zero
        var passes: (saving: [Int], history: [Int]) = ([], [])
        for _ in 0..<sleeps {
            now += counter.next
            let due = counter.pass()
            let time = Int(now / .milliseconds(1))
            if due.contains(.interval) { passes.saving.append(time) }
            if due.contains(.history) { passes.history.append(time) }
        }
        return passes
    }

    @Test func `each interval passes in its own time, whichever is longer`() {
        let often = passes(saving: 20, history: 50, sleeps: 6)
        #expect(often.saving == [20, 40, 60, 80, 100])
        #expect(often.history == [50, 100])
        let seldom = passes(saving: 100, history: 30, sleeps: 6)
        #expect(seldom.saving == [100])
        #expect(seldom.history == [30, 60, 90, 120, 150])
    }

    @Test func `intervals that are equal pass at once`() {
        let both = passes(saving: 10, history: 10, sleeps: 3)
        #expect(both.saving == [10, 20, 30])
        #expect(both.history == [10, 20, 30])
    }
}
