import Glibc

/// Program that checks crash states, faults and omitted syncs of archives on a simulated disk.
///
///     CrashStates [STATES [FIRST-SEED]]
///
/// The program prints the numbers of checks, and describes each broken promise. If a promise was broken, the exit
/// status is 1. The same seed repeats the same checks.
@main struct CrashStates {
    static func main() async {
        let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
        guard numbers.count <= 2, !numbers.contains(nil) else {
            print("usage: CrashStates [STATES [FIRST-SEED]]")
            exit(2)
        }
        let states = Int(clamping: (numbers.first ?? nil) ?? 100_000)
        let seed = (numbers.dropFirst().first ?? nil) ?? 1

        var violations = await check(states, firstSeed: seed, "")
        do {
            let keys = try EncryptedDisk.testKeys()
            violations += await EncryptedDisk.$keys.withValue(keys) {
                await check(states / 10, firstSeed: seed, "encrypted, ")
            }
        } catch {
            print("\(error)")
            exit(2)
        }
        // The seeds are always the same. A seed that reveals an omitted sync today also reveals it tomorrow.
        let omissions = await OmittedSyncSuite.run()
        let undetected = omissions.filter { $0.detection == nil }
        print("syncs removed: \(omissions.count), found: \(omissions.count - undetected.count)")

        for violation in violations { print("\n\(violation)") }
        for omission in undetected { print("\nnobody misses the sync \(omission.sync)") }
        exit(violations.isEmpty && undetected.isEmpty ? 0 : 1)
    }

    private static func check(
        _ states: Int, firstSeed seed: UInt64, _ label: String
    ) async -> [Violation] {
        let crashes = await CrashSuite.run(states: states, firstSeed: seed)
        print(
            "\(label)crash states checked: \(crashes.count), violations: \(crashes.violations.count)"
        )
        let faults = await FaultSuite.run(faults: max(1, states / 20), firstSeed: seed)
        print("\(label)faults injected: \(faults.count), violations: \(faults.violations.count)")
        return crashes.violations + faults.violations
    }
}
