import Testing

@testable import SavedState

/// Tests of the decision about a scene whose program differs from the program that last launched it.
@Suite struct LaunchDecisionTests {
    private static let scene = SceneKey(application: "org.example", scene: "main")
    private static let program = ProgramIdentity(rawValue: "a")
    private static let otherProgram = ProgramIdentity(rawValue: "b")

    private func decide(
        crashes: Int = 0, deaths: Int = 0, goodIdentity: ProgramIdentity
    ) -> LaunchDecision {
        var launches = SceneLaunches()
        launches.identity = Self.program
        launches.goodIdentity = goodIdentity
        launches.crashes = crashes
        launches.deaths = deaths
        var ledger = LaunchLedger(processID: "1")
        ledger.apply(.reinstated(scene: Self.scene, launches: launches))
        return ledger.decide(
            Self.scene, identity: Self.program, hasState: true, limits: LaunchLimits())
    }

    @Test func `L3: crashes after launches are attributed to the state even for a new program`() {
        for goodIdentity in [Self.program, Self.otherProgram] {
            guard
                case .quarantine(.running, _) = decide(
                    deaths: LaunchLimits().laterCrashLimit, goodIdentity: goodIdentity)
            else {
                Issue.record("the state is not quarantined")
                return
            }
        }
    }

    @Test func `L8: crashes during launches are attributed to a program that has never worked`() {
        guard case .quarantine(.launching, _) = decide(crashes: 1, goodIdentity: Self.program)
        else {
            Issue.record("the state is not quarantined")
            return
        }
        guard case .stop = decide(crashes: 1, goodIdentity: Self.otherProgram) else {
            Issue.record("the scene is launched")
            return
        }
    }
}
