/// Numbers that the clients of an application wrote, by client and slot.
///
/// Each client writes 1, 2, 3 and so on; the number N goes to the slot N modulo ``slotCount``. A lost or skipped change
/// therefore leaves a lower number in its slot.
struct Numbers: Equatable, CustomStringConvertible {
    static let clientCount = 2
    static let slotCount = 4

    private(set) var slots = [UInt64](repeating: 0, count: clientCount * slotCount)

    static func slot(of number: UInt64, from client: Int) -> Int {
        client * slotCount + Int(number % UInt64(slotCount))
    }

    subscript(slot: Int) -> UInt64 {
        get { slots[slot] }
        set { slots[slot] = max(slots[slot], newValue) }
    }

    /// Raises each slot to the number in other numbers.
    mutating func merge(_ other: Numbers) {
        for slot in slots.indices { self[slot] = other[slot] }
    }

    /// Whether no slot is lower than in other numbers.
    func contains(_ other: Numbers) -> Bool { zip(slots, other.slots).allSatisfy { $0 >= $1 } }

    var description: String { slots.map { "\($0)" }.joined(separator: " ") }
}

/// Compares what the hosts do with what the cluster promises.
final class Checker: @unchecked Sendable {
    /// What was acknowledged for one application.
    private struct Promise {
        /// Changes that were acknowledged as replicated since the store was last restored from a backup.
        var current = Numbers()
        /// Earlier changes. Each of them is in the current state, or in the state or the history of a host.
        var earlier: [Numbers] = []
    }

    private let simulation: Simulation
    private var promises: [String: Promise] = [:]
    private var lastSetBack = Duration.seconds(-1_000)
    /// Number of times that the store was restored from a backup.
    private(set) var setBackCount = 0
    private(set) var violations: [String] = []
    /// Number of changes of each application that were acknowledged as replicated.
    private var counts: [String: Int] = [:]
    /// Number of times that a host continued an application from replicated state.
    private(set) var takeoverCount = 0

    init(in simulation: Simulation) { self.simulation = simulation }

    func report(_ violation: String) { violations.append("\(simulation.elapsed): \(violation)") }

    /// Records that a change was acknowledged as replicated.
    ///
    /// - Parameter count: ``setBackCount`` when the change was accepted. If the store was restored since, the change may
    ///   have been replicated before.
    func acknowledged(
        _ application: String, client: Int, _ number: UInt64, acceptedAfter count: Int
    ) {
        counts[application, default: 0] += 1
        var numbers = Numbers()
        numbers[Numbers.slot(of: number, from: client)] = number
        if count == setBackCount {
            promises[application, default: Promise()].current.merge(numbers)
        } else {
            promises[application, default: Promise()].earlier.append(numbers)
        }
    }

    /// Number of all changes that were acknowledged as replicated.
    var acknowledgedCount: Int { counts.values.reduce(0, +) }

    func acknowledgedCount(of application: String) -> Int { counts[application] ?? 0 }

    func wasSetBack() {
        lastSetBack = simulation.elapsed
        setBackCount += 1
        for application in promises.keys.sorted() {
            guard var promise = promises[application] else { continue }
            promise.earlier.append(promise.current)
            promise.current = Numbers()
            promises[application] = promise
        }
    }

    /// Checks the state from which a host continues an application.
    func began(_ application: String, on host: String, with numbers: Numbers) {
        takeoverCount += 1
        let promised = promises[application]?.current ?? Numbers()
        if !numbers.contains(promised) {
            report("\(host) continues \(application) from \(numbers), promised was \(promised)")
        }
    }

    /// Checks that no other host accepts a change at the same time.
    func accepted(_ application: String, on host: String, others: [String]) {
        // After the store was restored from a backup, a lease that it does not have may still be valid.
        guard !others.isEmpty, simulation.elapsed - lastSetBack > .seconds(6) else { return }
        report("\(host) and \(others) accept changes to \(application) at the same time")
    }

    /// Checks that everything is in the current state, in the state of a host, or in its history.
    func checkKept(_ application: String, in kept: [Numbers]) {
        for earlier in promises[application]?.earlier ?? [] {
            for slot in earlier.slots.indices where earlier[slot] > 0 {
                if kept.contains(where: { $0[slot] >= earlier[slot] }) { continue }
                report("\(application): \(earlier[slot]) in the slot \(slot) is nowhere: \(kept)")
            }
        }
    }
}
