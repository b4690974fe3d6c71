/// Changes that the clients of an application made.
///
/// Each client numbers its changes 1, 2, 3 and so on. Each change is a separate object in the archive, so that no later
/// change hides the loss of an earlier change.
struct Changes: Equatable, CustomStringConvertible {
    static let clientCount = 2

    private var numbers = [NumberSet](repeating: NumberSet(), count: clientCount)

    var isEmpty: Bool { numbers.allSatisfy(\.isEmpty) }

    mutating func insert(_ number: UInt64, from client: Int) {
        numbers[client].insert(Int(number))
    }

    mutating func formUnion(_ other: Changes) {
        for client in numbers.indices { numbers[client].combine(other.numbers[client], |) }
    }

    func intersection(_ other: Changes) -> Changes {
        var result = self
        for client in numbers.indices { result.numbers[client].combine(other.numbers[client], &) }
        return result
    }

    func subtracting(_ other: Changes) -> Changes {
        var result = self
        for client in numbers.indices {
            result.numbers[client].combine(other.numbers[client]) { $0 & ~$1 }
        }
        return result
    }

    /// First numbers of each client.
    var description: String {
        numbers.map { set in
            let numbers = set.members
            return "[" + numbers.prefix(5).map { "\($0)" }.joined(separator: " ")
                + (numbers.count > 5 ? " …]" : "]")
        }.joined(separator: " ")
    }
}

/// Set of small numbers.
private struct NumberSet: Equatable {
    /// One bit for each number.
    private var words: [UInt64] = []

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    var members: [Int] {
        (0..<words.count * 64).filter { words[$0 / 64] & 1 << ($0 % 64) != 0 }
    }

    mutating func insert(_ number: Int) {
        while words.count <= number / 64 { words.append(0) }
        words[number / 64] |= 1 << (number % 64)
    }

    /// Combines the bits of both sets.
    mutating func combine(_ other: NumberSet, _ operation: (UInt64, UInt64) -> UInt64) {
        while words.count < other.words.count { words.append(0) }
        for index in words.indices {
            words[index] = operation(
                words[index], index < other.words.count ? other.words[index] : 0)
        }
    }
}

/// Checker that compares the hosts' behavior with the guarantees of the cluster.
final class Checker: @unchecked Sendable {
    /// Guarantee of the cluster.
    enum Check: String {
        /// At most one host accepts changes to an application.
        case oneOwner = "one owner"
        /// A host continues an application with all changes that were acknowledged as replicated.
        case replicatedChanges = "replicated changes"
        /// Changes that the restored store does not have remain on a host.
        case savedChanges = "saved changes"
        /// In the absence of faults, the store has the whole state of the owner.
        case completeReplica = "complete replica"
        /// The replicated state can be read.
        case readable = "readable state"
        /// In the absence of faults, each application is served.
        case service = "service"
        /// In the absence of faults, an application can be moved, and a host can be stopped.
        case plannedChange = "planned change"
    }

    /// Broken guarantee.
    struct Violation: CustomStringConvertible {
        let check: Check
        let description: String
    }

    /// Changes of one application that must exist.
    private struct RequiredChanges {
        /// Changes in the store, and in each state from which a host continues.
        var replicated = Changes()
        /// Changes on the disk of a host, as current state or in the history.
        var saved = Changes()
    }

    /// Changes in the store at the time of a backup, keyed by application.
    struct Backup {
        fileprivate var replicated: [String: Changes]
    }

    private let simulation: Simulation
    private var requiredChanges: [String: RequiredChanges] = [:]
    private var lastRestore: Duration?
    /// Number of times that the store was restored from a backup.
    private(set) var restoreCount = 0
    private(set) var violations: [Violation] = []
    /// Number of changes of each application that were acknowledged as replicated.
    private var counts: [String: Int] = [:]
    private var lastOwners: [String: String] = [:]
    /// Number of times that a host continued an application of a different host.
    private(set) var takeoverCount = 0

    init(in simulation: Simulation) { self.simulation = simulation }

    func report(_ check: Check, _ sentence: String) {
        violations.append(
            Violation(
                check: check,
                description: "\(check.rawValue): at \(simulation.elapsed), \(sentence)"))
    }

    // MARK: Replicated changes

    /// Records that a change was acknowledged as replicated.
    ///
    /// - Parameters:
    ///   - changes: All changes in the archive, including this change.
    ///   - count: ``restoreCount`` when the change was accepted. If the store has been restored since then, the change
    ///     may have been replicated before the restore.
    func recordAcknowledgment(_ application: String, _ changes: Changes, acceptedAfter count: Int) {
        counts[application, default: 0] += 1
        if count == restoreCount {
            requiredChanges[application, default: RequiredChanges()].replicated.formUnion(changes)
        } else {
            requiredChanges[application, default: RequiredChanges()].saved.formUnion(changes)
        }
    }

    /// Number of all changes that were acknowledged as replicated.
    var acknowledgedCount: Int { counts.values.reduce(0, +) }

    func acknowledgedCount(of application: String) -> Int { counts[application] ?? 0 }

    /// Checks the state from which a host continues an application.
    func checkInitialState(_ application: String, on host: String, with changes: Changes) {
        if let last = lastOwners.updateValue(host, forKey: application), last != host {
            takeoverCount += 1
        }
        let missing = (requiredChanges[application]?.replicated ?? Changes()).subtracting(changes)
        if !missing.isEmpty {
            report(.replicatedChanges, "\(host) continues \(application) without \(missing)")
        }
    }

    /// Checks the state in the store in the absence of faults.
    ///
    /// - Parameters:
    ///   - changes: Changes in the store.
    ///   - owned: Changes in the archive of the owner.
    func checkReplica(_ application: String, _ changes: Changes, of owned: Changes) {
        let lost = (requiredChanges[application]?.replicated ?? Changes()).subtracting(changes)
        if !lost.isEmpty {
            report(.replicatedChanges, "the store has no \(lost) of \(application)")
        }
        let missing = owned.subtracting(changes)
        if !missing.isEmpty {
            report(.completeReplica, "the store has no \(missing) of the owner of \(application)")
        }
    }

    /// Records the state of an owner that has stopped in the absence of faults. The next owner continues from this
    /// state.
    func recordStop(_ application: String, with changes: Changes) {
        requiredChanges[application, default: RequiredChanges()].replicated.formUnion(changes)
    }

    // MARK: Owners

    /// Checks that only one host accepts changes.
    ///
    /// - Parameter others: Other hosts that accept changes now.
    func checkSingleOwner(_ application: String, on host: String, others: [String]) {
        // A host may rely on a lease that the restored store does not have.
        if let lastRestore, simulation.elapsed - lastRestore < HostProcess.leaseDuration { return }
        guard !others.isEmpty else { return }
        report(.oneOwner, "\(host) and \(others) accept changes to \(application)")
    }

    // MARK: Backups

    /// Changes that a backup of the store contains if it is made now.
    var backup: Backup { Backup(replicated: requiredChanges.mapValues(\.replicated)) }

    /// Records that the store was restored from a backup.
    ///
    /// - Parameter saved: Changes on the disks of the hosts, keyed by application.
    func recordRestore(from backup: Backup, saved: [String: Changes]) {
        lastRestore = simulation.elapsed
        restoreCount += 1
        for application in requiredChanges.keys.sorted() {
            guard var required = requiredChanges[application] else { continue }
            required.saved.formUnion(
                required.replicated.intersection(saved[application] ?? Changes()))
            required.replicated = backup.replicated[application] ?? Changes()
            requiredChanges[application] = required
        }
    }

    /// Records that a host has lost changes together with its disk.
    ///
    /// - Parameter saved: Changes that are still on the disk of a host.
    func recordDiskLoss(_ application: String, _ lost: Changes, saved: Changes) {
        guard let required = requiredChanges[application] else { return }
        requiredChanges[application]?.saved = required.saved.subtracting(lost.subtracting(saved))
    }

    /// Checks that all changes that a restored store does not have are still on a host.
    func checkSaved(_ application: String, in saved: Changes) {
        let missing = (requiredChanges[application]?.saved ?? Changes()).subtracting(saved)
        if !missing.isEmpty { report(.savedChanges, "no host has \(missing) of \(application)") }
    }
}
