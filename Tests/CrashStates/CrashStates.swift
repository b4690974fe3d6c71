import Glibc

/// Checks crash states, faults and left out syncs, and tells how many.
///
///     CrashStates [STATES [FIRST-SEED]]
@main struct CrashStates {
    static func main() async {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
        let states = numbers.first ?? 100_000
        let seed = UInt64(numbers.dropFirst().first ?? 1)

        let crashes = await CrashSuite.run(states: states, firstSeed: seed)
        print("crash states checked: \(crashes.count), violations: \(crashes.violations.count)")
        let faults = await FaultSuite.run(faults: states / 20, firstSeed: seed)
        print("faults injected: \(faults.count), violations: \(faults.violations.count)")
        for violation in crashes.violations + faults.violations { print("\n\(violation)") }
        let controls = numbers.count > 2 ? [] : await ControlSuite.run(firstSeed: seed)
        let missed = controls.filter { $0.found == nil }
        print("syncs removed: \(controls.count), found: \(controls.count - missed.count)")

        for control in missed { print("\nnot missed: \(control.site)") }
        let isBroken = !crashes.violations.isEmpty || !faults.violations.isEmpty || !missed.isEmpty
        exit(isBroken ? 1 : 0)
    }
}
