import Synchronization

/// Counter of several tasks' checks, which also assigns work to the tasks.
final class Tally: Sendable {
    private struct State: Sendable {
        var next: UInt64
        var count = 0
        var violations: [Violation] = []
    }

    /// Number of broken promises after which the search ends.
    private static let maximumViolations = 3

    private let state: Mutex<State>
    /// Required number of checks.
    private let requiredCount: Int

    init(requiredCount: Int, firstSeed: UInt64) {
        self.requiredCount = requiredCount
        state = Mutex(State(next: firstSeed))
    }

    var count: Int { state.withLock { $0.count } }
    var violations: [Violation] { state.withLock { $0.violations } }

    /// Returns the next seed to try, or `nil` if there were enough checks or enough broken promises.
    func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.count < requiredCount, state.violations.count < Self.maximumViolations
            else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func add(_ count: Int) { state.withLock { $0.count += count } }

    func add(_ violation: Violation) { state.withLock { $0.violations.append(violation) } }

    /// Runs a body for one seed after another, with two tasks at a time.
    func run(_ body: @escaping @Sendable (UInt64, Tally) throws(Violation) -> Void) async {
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { @concurrent in
                    while let seed = self.nextSeed() {
                        do throws(Violation) {
                            try body(seed, self)
                        } catch {
                            self.add(error.addingDetails(["seed \(seed)"]))
                        }
                    }
                }
            }
        }
    }
}
