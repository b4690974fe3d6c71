import Dispatch
import Glibc
import RestorationTesting
import TestSupport
import Testing

@Suite struct TestClockTests {
    @Test func `cancelling a sleeper never blocks the task that advances the clock`() async {
        // Runs in a separate process, which SIGALRM ends if a round hangs.
        await #expect(processExitsWith: .success) {
            let clock = TestClock()
            for _ in 1...10_000 {
                alarm(120)
                let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
                await clock.waitForSleepers()
                DispatchQueue(label: "own thread").async { sleeper.cancel() }
                clock.advance(by: .seconds(1))
                _ = await sleeper.result
            }
        }
    }

    @Test func `a task sleeps until the clock reaches its deadline`()
        async throws
    {
        let clock = TestClock()
        let start = clock.now
        let ended = AwaitableState<Set<Int>>([])
        let sleepers = (1...4).map { seconds in
            Task {
                try await clock.sleep(for: .seconds(seconds))
                ended.change { _ = $0.insert(seconds) }
            }
        }
        await clock.waitForSleepers(4)
        #expect(clock.sleeperCount == 4)
        clock.advance(by: .seconds(2))
        await ended.wait { $0.count == 2 }
        #expect(ended.state == [1, 2])
        #expect(clock.sleeperCount == 2)
        await clock.waitForSleeper(for: .seconds(1))
        await clock.waitForSleeper(for: .seconds(2))
        clock.advance(by: .seconds(2))
        for sleeper in sleepers { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        #expect(start.duration(to: clock.now) == .seconds(4))
        // A sleep until the current time or an earlier time returns immediately.
        try await clock.sleep(until: clock.now, tolerance: nil)
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)), tolerance: nil)
    }

    @Test func `waiters for sleepers resume once every sleeper has the given time left`()
        async throws
    {
        let clock = TestClock()
        let order = AwaitableState<[String]>([])
        let sleepers = [2, 3].map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        await clock.waitForSleepers(2)
        let deadline = Duration.seconds(2)
        let waiters = (1...2).map { _ in
            Task {
                await clock.waitForSleepers(for: deadline)
                order.change { $0.append("waiter") }
            }
        }
        for _ in 1...1000 { await Task.yield() }
        order.change { $0.append("cancelled") }
        sleepers[1].cancel()
        for waiter in waiters { await waiter.value }
        #expect(order.state == ["cancelled", "waiter", "waiter"])
        clock.advance(by: deadline)
        try await sleepers[0].value
        // Without a sleeper, the method waits for a sleeper.
        let waiter = Task {
            await clock.waitForSleepers(for: deadline)
            order.change { $0.append("waiter") }
        }
        for _ in 1...1000 { await Task.yield() }
        order.change { $0.append("sleeper") }
        let last = Task { try await clock.sleep(for: deadline) }
        await waiter.value
        #expect(order.state.suffix(2) == ["sleeper", "waiter"])
        last.cancel()
    }

    @Test func `a cancelled sleep throws an error before its deadline`() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a task that has already been cancelled does not wait for sleepers`() async throws {
        let clock = TestClock()
        let isOver = AwaitableState(false)
        let waiter = Task {
            while !Task.isCancelled { await Task.yield() }
            await clock.waitForSleepers()
            isOver.change { $0 = true }
        }
        waiter.cancel()
        try await waitUntil("the wait ends") { isOver.state }
    }

    @Test func `a waiter keeps waiting while any sleeper has a different remaining time`() async {
        let clock = TestClock()
        // The clock lists its sleepers in an order that differs from round to round.
        for _ in 1...16 {
            let isResumed = AwaitableState(false)
            let sleepers = [2, 3].map { seconds in
                Task { try await clock.sleep(for: .seconds(seconds)) }
            }
            await clock.waitForSleepers(2)
            let waiter = Task {
                await clock.waitForSleepers(for: .seconds(2))
                isResumed.change { $0 = true }
            }
            for _ in 1...1_000 { await Task.yield() }
            #expect(!isResumed.state)
            waiter.cancel()
            await waiter.value
            for sleeper in sleepers {
                sleeper.cancel()
                _ = await sleeper.result
            }
        }
    }
}
