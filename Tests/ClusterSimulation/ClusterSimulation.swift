import Glibc

/// Program that runs hosts of a cluster against a store in memory, with simulated faults and in simulated time.
///
///     ClusterSimulation [STEPS [FIRST-SEED]]    runs episodes until they have this number of steps
///     ClusterSimulation --seed SEED             runs the episode of a seed twice, and compares both runs
///     ClusterSimulation --controls              checks that the simulation finds deliberate bugs
///
/// A step is one job of a task. The exit status is 1 if a guarantee of the cluster was broken, or if the expected check
/// did not find a deliberate bug.
@main struct ClusterSimulation {
    private static let usage = """
        usage: ClusterSimulation [STEPS [FIRST-SEED]]
               ClusterSimulation --seed SEED
               ClusterSimulation --controls
        """

    static func main() {
        requireDeterministicHashing()
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.compactMap { UInt64($0) }
        switch (arguments.first, arguments.count, numbers.count) {
        case ("--seed", 2, 1): repeatEpisode(numbers[0])
        case ("--controls", 1, 0): runControls()
        case (_, 0...2, arguments.count):
            run(
                steps: Int(clamping: numbers.first ?? 1_000_000),
                firstSeed: numbers.dropFirst().first ?? 1)
        default:
            print(usage)
            exit(2)
        }
    }

    /// Restarts the program with an environment in which dictionaries have the same order in each process.
    private static func requireDeterministicHashing() {
        if getenv("SWIFT_DETERMINISTIC_HASHING") != nil { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        perror("execv")
        exit(2)
    }

    private static func run(steps: Int, firstSeed: UInt64) {
        print("first seed: \(firstSeed)")
        fflush(nil)
        var (seed, stepCount, faultCount, changeCount, takeoverCount) = (firstSeed, 0, 0, 0, 0)
        var violationCount = 0
        while stepCount < steps {
            let cluster = episode(seed, nil)
            stepCount += cluster.simulation.stepCount
            faultCount += cluster.faultCount
            changeCount += cluster.checker.acknowledgedCount
            takeoverCount += cluster.checker.takeoverCount
            violationCount += cluster.checker.violations.count
            for violation in cluster.checker.violations { print("seed \(seed): \(violation)") }
            fflush(nil)
            seed &+= 1
        }
        print(
            "steps: \(stepCount), seeds: \(firstSeed) to \(seed &- 1), faults: \(faultCount), replicated changes: "
                + "\(changeCount), takeovers: \(takeoverCount), violations: \(violationCount)")
        exit(violationCount == 0 ? 0 : 1)
    }

    private static func repeatEpisode(_ seed: UInt64) {
        let runs = [episode(seed, nil), episode(seed, nil)]
        for violation in runs[0].checker.violations { print(violation) }
        let digests = runs.map(\.simulation.digest)
        print(
            "steps: \(runs[0].simulation.stepCount), both runs are equal: \(digests[0] == digests[1])"
        )
        exit(digests[0] == digests[1] && runs[0].checker.violations.isEmpty ? 0 : 1)
    }

    private static func runControls() {
        let results = DeliberateBug.allCases.map { isFound($0) }
        exit(results.contains(false) ? 1 : 0)
    }

    /// Runs episodes with a deliberate bug until a check finds it.
    ///
    /// - Returns: Whether the check that must find the bug was the first to find it.
    private static func isFound(_ bug: DeliberateBug) -> Bool {
        let began = ContinuousClock.now
        for seed: UInt64 in 1...400 {
            guard let violation = episode(seed, bug).checker.violations.first else { continue }
            let isExpected = violation.check == bug.check
            print(
                "\(bug.rawValue): found after \(seed) episodes and \(ContinuousClock.now - began)"
                    + (isExpected ? "" : ", but not by the check '\(bug.check.rawValue)'")
                    + ": \(violation)")
            fflush(nil)
            return isExpected
        }
        print("\(bug.rawValue): not found after \(ContinuousClock.now - began)")
        return false
    }

    private static func episode(_ seed: UInt64, _ bug: DeliberateBug?) -> SimulatedCluster {
        let cluster = SimulatedCluster(seed: seed, bug: bug)
        cluster.run()
        return cluster
    }
}
