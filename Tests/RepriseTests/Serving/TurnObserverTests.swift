import Preservation
import TestSupport
import Testing

@testable import Reprise

@Suite(.timeLimit(.minutes(10))) struct TurnObserverTests {
    private struct Failure: Error {}

    /// Value that an observer delivered, and the value before it.
    private struct Delivery: Sendable, Equatable {
        let value: Int
        let last: Int?
    }

    @Test func `each new value is delivered with the previous value, until a delivery fails`()
        async throws
    {
        try await ReloadingHost.with { host in
            let application = try host.application(ReloadingHost.notes)
            let current = AwaitableState(0)
            let checkCount = AwaitableState(0)
            let deliveries = AwaitableState<[Delivery]>([])
            let following = Task {
                let observer = TurnObserver(
                    application: application, clock: ImmediateClock(), minimumInterval: .zero)
                try await observer.follow { (_: Int?) in
                    checkCount.change { $0 += 1 }
                    return current.state
                } deliver: { value, last in
                    deliveries.change { $0.append(Delivery(value: value, last: last)) }
                    if value == 3 { throw Failure() }
                }
            }
            defer { following.cancel() }
            await deliveries.wait { $0.count == 1 }
            for value in 1...3 {
                // A turn that changes nothing causes a check without a delivery.
                let count = checkCount.state
                try await application.perform { _ in }
                await checkCount.wait { $0 > count }
                #expect(deliveries.state.count == value)
                current.change { $0 = value }
                try await application.perform { _ in }
                await deliveries.wait { $0.count > value }
            }
            await #expect(throws: Failure.self) { try await following.value }
            #expect(deliveries.state.map(\.value) == [0, 1, 2, 3])
            #expect(deliveries.state.map(\.last) == [nil, 0, 1, 2])
        }
    }

    @Test func `an observer ends if the first value cannot be delivered`() async throws {
        try await ReloadingHost.with { host in
            let observer = TurnObserver(
                application: try host.application(ReloadingHost.notes), clock: ImmediateClock(),
                minimumInterval: .zero)
            let hasEnded = AwaitableState(false)
            let following = Task {
                do {
                    try await observer.follow { (_: Int?) in
                        0
                    } deliver: { _, _ in
                        throw Failure()
                    }
                } catch {
                    hasEnded.change { $0 = error is Failure }
                }
            }
            defer { following.cancel() }
            await hasEnded.wait { $0 }
            #expect(hasEnded.state)
        }
    }

    /// Clock whose sleeps fail.
    private struct BrokenClock: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            throw Failure()
        }
    }

    @Test func `an observer stops if it cannot pause between two checks`() async throws {
        try await ReloadingHost.with { host in
            let application = try host.application(ReloadingHost.notes)
            let (isFollowing, hasEnded) = (AwaitableState(false), AwaitableState(false))
            let following = Task {
                let observer = TurnObserver(
                    application: application, clock: BrokenClock(), minimumInterval: .zero)
                do {
                    try await observer.follow { (_: Int?) in
                        0
                    } deliver: { _, _ in
                        isFollowing.change { $0 = true }
                    }
                } catch {
                    hasEnded.change { $0 = error is Failure }
                }
            }
            defer { following.cancel() }
            await isFollowing.wait { $0 }
            try await waitUntil("the observer ends") {
                try await application.perform { _ in }
                return hasEnded.state
            }
        }
    }
}
