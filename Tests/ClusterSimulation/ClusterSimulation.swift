import Glibc

/// Runs hosts of a cluster against a store in memory, with simulated faults and in simulated time.
///
///     ClusterSimulation [STEPS [FIRST-SEED]]    runs episodes until they have this number of steps
///     ClusterSimulation --seed SEED             runs the episode of a seed twice, and compares both runs
///     ClusterSimulation --controls              checks that the simulation finds faults of the program
///
/// A step is one job of a task. The exit status is 1 if a promise of the cluster was broken, or if a fault of the program
/// was not found.
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

    /// Starts the program again with an environment in which dictionaries have the same order in each process.
    private static func requireDeterministicHashing() {
        if getenv("SWIFT_DETERMINISTIC_HASHING") != nil { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        perror("execv")
        exit(2)
    }

    private static func run(steps: Int, firstSeed: UInt64) {
        var (seed, stepCount, faultCount, changeCount, takeoverCount) = (firstSeed, 0, 0, 0, 0)
        var violations: [String] = []
        while stepCount < steps {
            let cluster = episode(seed, nil)
            stepCount += cluster.simulation.stepCount
            faultCount += cluster.faultCount
            changeCount += cluster.checker.acknowledgedCount
            takeoverCount += cluster.checker.takeoverCount
            for violation in cluster.checker.violations {
                violations.append("seed \(seed), \(violation)")
                print(violations[violations.count - 1])
            }
            seed &+= 1
        }
        print(
            "steps: \(stepCount), seeds: \(firstSeed) to \(seed &- 1), faults: \(faultCount), replicated changes: "
                + "\(changeCount), takeovers: \(takeoverCount), violations: \(violations.count)")
        exit(violations.isEmpty ? 0 : 1)
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
        var isMissed = false
        for control in Control.allCases {
            let began = ContinuousClock.now
            var seed: UInt64 = 1
            var found: String?
            while found == nil, seed <= 200 {
                found = episode(seed, control).checker.violations.first
                seed += 1
            }
            let duration = ContinuousClock.now - began
            print(
                "\(control.rawValue): "
                    + (found.map { "found after \(seed - 1) episodes and \(duration): \($0)" }
                        ?? "not found"))
            isMissed = isMissed || found == nil
        }
        exit(isMissed ? 1 : 0)
    }

    private static func episode(_ seed: UInt64, _ control: Control?) -> SimulatedCluster {
        let cluster = SimulatedCluster(seed: seed, control: control)
        cluster.run()
        return cluster
    }
}
