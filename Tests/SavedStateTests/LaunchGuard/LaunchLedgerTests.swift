import ExactText
import FoundationEssentials
import LinuxIO
import Testing

@testable import SavedState

/// Tests of the decision about a scene after launches that end in every possible way.
@Suite struct LaunchLedgerTests {
    /// Ledger that is passed from process to process.
    private struct LedgerSimulation {
        static let scene = SceneKey(application: "org.example", scene: "main")
        static let other = SceneKey(application: "org.example", scene: "other")

        var ledger = LaunchLedger(processID: "0")
        var limits = LaunchLimits()
        var program = "1"
        var boot = "boot"
        var time: UInt64 = 1000
        private var processes = 0

        var identity: ProgramIdentity {
            ProgramIdentity(
                version: program, storyboardFingerprint: 0, executableChecksum: 0)
        }

        func decide(hasState: Bool = true) -> LaunchDecision {
            ledger.decide(Self.scene, identity: identity, hasState: hasState, limits: limits)
        }

        mutating func begin(_ scene: SceneKey = scene) {
            ledger.apply(
                .launching(
                    launch: LaunchInProgress(
                        boot: boot, scene: scene, attempt: 1, reason: "restore",
                        stage: "launch-begin", identity: identity)))
            ledger.apply(.stage(name: "launch-found"))
        }

        mutating func launch(_ scene: SceneKey = scene) {
            begin(scene)
            ledger.apply(.launched(scene: scene, identity: identity, time: time))
        }

        /// Ends the process. The next process counts how it ended.
        mutating func end(
            _ end: CrashRecorder.Line.ProcessEnd? = nil, in scene: SceneKey? = scene,
            at stage: String = "launch-found", _ step: String? = nil, owner: String? = nil
        ) {
            var lines: [CrashRecorder.Line] = []
            if let end {
                lines.append(
                    CrashRecorder.Line(
                        processID: owner ?? ledger.processID, end: end, bootTimeMilliseconds: time,
                        context: scene.map { (stage, $0.subject) }, stepAndPath: step))
            }
            ledger.recordProcessEnd(lines, bootID: boot)
            processes += 1
            ledger.handOver(to: "\(processes)")
        }

        /// Simulates a crash on a thread that reads an application's files.
        mutating func crashReadingFiles(of application: String) {
            let line = CrashRecorder.Line(
                processID: ledger.processID, end: .signal(4), bootTimeMilliseconds: time,
                context: ("reading-files", application), stepAndPath: nil)
            ledger.recordProcessEnd([line], bootID: boot)
            processes += 1
            ledger.handOver(to: "\(processes)")
        }

        mutating func crash() {
            begin()
            end(.signal(4))
        }

        /// Applies the events of an application that quarantines its state.
        mutating func quarantine(_ cause: LaunchFault = .launching) {
            let state = QuarantinedState(name: "1-main", record: 7, cause: cause)
            ledger.apply(.quarantined(scene: Self.scene, state: state))
            ledger.apply(.removedFromArchive(scene: Self.scene))
        }
    }

    private func isQuarantine(_ decision: LaunchDecision) -> Bool {
        if case .quarantine = decision { true } else { false }
    }

    private func stop(_ decision: LaunchDecision) -> LaunchRefusal? {
        if case .stop(let stop) = decision { stop } else { nil }
    }

    @Test func `P16: the last problem of a process is known only at the next start`() {
        var simulation = LedgerSimulation()
        let problem = RecordedProblem(sentence: "it failed", time: 1)
        simulation.ledger.apply(.problem(application: "org.example.Notes", problem: problem))
        simulation.end()
        #expect(simulation.ledger.problems.map(\.value.sentence) == ["it failed"])
        simulation.end()
        #expect(simulation.ledger.problems.isEmpty)
    }

    @Test(arguments: ["org.example", "org.other"])
    func `a crash counts only if the application was not forgotten`(application: String) {
        var simulation = LedgerSimulation()
        simulation.begin()
        simulation.ledger.apply(.forgotten(application: application))
        simulation.end(.signal(4))
        simulation.begin(LedgerSimulation.other)
        simulation.end()
        let isForgotten = application == LedgerSimulation.scene.application
        #expect((simulation.ledger.scenes[LedgerSimulation.scene] == nil) == isForgotten)
    }

    @Test func `an event is encoded as in earlier versions and decoded again`() throws {
        let scene = SceneKey(application: "a.b", scene: "s")
        let identity = ProgramIdentity(rawValue: "1f")
        let launch = LaunchInProgress(
            boot: "b", scene: scene, attempt: 2, reason: "restore", stage: "x", identity: identity)
        let onScene = #""scene":{"application":"a.b","scene":"s"}"#
        let lines: [(LaunchEvent, String)] = [
            (
                .launching(launch: launch),
                #"{"launching":{"mark":{"attempt":2,"boot":"b","identity":"1f","reason":"restore","#
                    + onScene + #","stage":"x"}}}"#
            ),
            (.stage(name: "y"), #"{"stage":{"name":"y"}}"#),
            (
                .launched(scene: scene, identity: identity, time: 5),
                #"{"launched":{"identity":"1f",\#(onScene),"time":5}}"#
            ),
            (.abandoned, #"{"abandoned":{}}"#),
            (.survivedGracePeriod(scene: scene), #"{"endured":{\#(onScene)}}"#),
            (.closed(scene: scene), #"{"ended":{\#(onScene)}}"#),
            (
                .quarantined(
                    scene: scene, state: QuarantinedState(name: "1-s", record: 7, cause: .launching)
                ),
                #"{"quarantined":{\#(onScene),"state":{"cause":"launching","isTakenOut":false,"#
                    + #""name":"1-s","record":7}}}"#
            ),
            (.removedFromArchive(scene: scene), #"{"takenOut":{\#(onScene)}}"#),
            (
                .refused(scene: scene, refusal: LaunchRefusal(reason: "r", identity: identity)),
                #"{"stopped":{\#(onScene),"stop":{"identity":"1f","reason":"r"}}}"#
            ),
            (.restoredFromQuarantine(scene: scene), #"{"putBack":{\#(onScene)}}"#),
            (
                .replaced(scene: scene, generation: "g"),
                #"{"replaced":{"generation":"g",\#(onScene)}}"#
            ),
            (.replaced(scene: scene, generation: nil), #"{"replaced":{\#(onScene)}}"#),
            (.changed(scene: scene), #"{"changed":{\#(onScene)}}"#),
            (.newState(scene: scene), #"{"newState":{\#(onScene)}}"#),
            (
                .reinstated(scene: scene, launches: SceneLaunches()),
                #"{"reinstated":{"launches":{"crashes":0,"deaths":0,"kills":0},\#(onScene)}}"#
            ),
            (.fellBack(scene: scene), #"{"fellBack":{\#(onScene)}}"#),
            (
                .problem(application: "a.b", problem: RecordedProblem(sentence: "p", time: 1)),
                #"{"problem":{"application":"a.b","problem":{"sentence":"p","time":1}}}"#
            ),
            (.forgotten(application: "a.b"), #"{"forgotten":{"application":"a.b"}}"#),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (event, line) in lines {
            #expect(String(decoding: try encoder.encode(event), as: UTF8.self) == line)
            #expect(try JSONDecoder().decode(LaunchEvent.self, from: Data(line.utf8)) == event)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(LaunchEvent.self, from: Data(#"{"unheardOf":{}}"#.utf8))
        }
    }

    @Test func `a scene that is not in the ledger is launched`() {
        #expect(LedgerSimulation().decide() == .launch)
    }

    @Test func `L2: one crash during a launch quarantines the state`() {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.end()
        #expect(simulation.decide() == .launch)
        simulation.crash()
        #expect(
            simulation.decide()
                == .quarantine(
                    cause: .launching,
                    reason: "the program died while it launched the scene: "
                        + "signal 4 (SIGILL) at the stage launch-found"))
        simulation.quarantine()
        #expect(simulation.decide(hasState: false) == .launch)
        // The pristine launch succeeds, so the state was the cause. The next crash is attributed to new state.
        simulation.launch()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.quarantined == nil)
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
    }

    @Test func `L2: the crash limit counts consecutive crashes`() {
        var simulation = LedgerSimulation()
        simulation.limits = LaunchLimits(launchCrashLimit: 3)
        simulation.crash()
        simulation.crash()
        #expect(simulation.decide() == .launch)
        simulation.launch()
        simulation.end()
        simulation.crash()
        simulation.crash()
        #expect(simulation.decide() == .launch)
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
    }

    @Test
    func `L2: an exit during a launch counts as a crash, and so does the sixth kill in a row`() {
        var simulation = LedgerSimulation()
        simulation.begin()
        simulation.end(.exit(0))
        #expect(isQuarantine(simulation.decide()))

        var killed = LedgerSimulation()
        for count in 1...5 {
            killed.begin()
            killed.end()
            #expect(killed.ledger.scenes[LedgerSimulation.scene]?.kills == count)
            #expect(killed.decide() == .launch)
        }
        killed.begin()
        killed.end()
        #expect(isQuarantine(killed.decide()))
    }

    @Test func `L2: a successful launch resets the number of kills`() {
        var simulation = LedgerSimulation()
        for _ in 1...5 {
            simulation.begin()
            simulation.end()
        }
        simulation.launch()
        simulation.end()
        simulation.begin()
        simulation.end()
        #expect(simulation.decide() == .launch)
    }

    @Test func `L2: a crash is attributed to the scene whose code crashed`() {
        var simulation = LedgerSimulation()
        simulation.launch(LedgerSimulation.other)
        simulation.begin()
        simulation.end(.signal(11), in: LedgerSimulation.other, at: "turn-begin")
        #expect(simulation.decide() == .launch)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.failedLaunchCount == 0)
        #expect(simulation.ledger.scenes[LedgerSimulation.other]?.deaths == 1)
    }

    @Test func `L2: a crash while files are read counts against no scene`() {
        var simulation = LedgerSimulation()
        for application in ["org.example", "org.other"] {
            simulation.begin()
            simulation.crashReadingFiles(of: application)
        }
        for _ in 1...3 {
            simulation.launch()
            simulation.crashReadingFiles(of: "org.example")
        }
        #expect(simulation.decide() == .launch)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.crashAndKillCount == 0)
    }

    @Test func `R13: a crash outside any scene's code is attributed to the scene being launched`() {
        var simulation = LedgerSimulation()
        simulation.begin()
        simulation.end(.signal(11), in: nil)
        #expect(isQuarantine(simulation.decide()))
    }

    @Test func `another process's stamp and an abandoned launch do not count as crashes`() {
        var simulation = LedgerSimulation()
        simulation.begin()
        simulation.end(.signal(4), owner: "another")
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.crashes == 0)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.kills == 1)
        simulation.begin()
        simulation.ledger.apply(.abandoned)
        simulation.end()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.kills == 1)
    }

    @Test func `L3: three deaths in a row soon after launches count as one crash`() {
        var simulation = LedgerSimulation()
        for count in 1...3 {
            #expect(simulation.decide() == .launch)
            simulation.launch()
            simulation.time += LaunchLimits.gracePeriodMilliseconds
            simulation.end(.signal(4), at: "pass-begin")
            #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == count)
        }
        #expect(
            simulation.decide()
                == .quarantine(
                    cause: .running,
                    reason: "the program died soon after its launch 3 times in a row: "
                        + "signal 4 (SIGILL) at the stage pass-begin"))
    }

    @Test
    func `L3: kills, late deaths and orderly ends do not count as deaths soon after a launch`() {
        var simulation = LedgerSimulation()
        for _ in 1...2 {
            simulation.launch()
            simulation.end(.signal(4), at: "turn-begin")
        }
        for _ in 1...9 {
            simulation.launch()
            simulation.end()
        }
        #expect(simulation.decide() == .launch)
        var late = simulation
        late.launch()
        late.time += LaunchLimits.gracePeriodMilliseconds + 1
        late.end(.signal(4), at: "turn-begin")
        #expect(late.ledger.scenes[LedgerSimulation.scene]?.deaths == 0)
        var ended = simulation
        ended.launch()
        ended.ledger.apply(.closed(scene: LedgerSimulation.scene))
        #expect(ended.ledger.scenes[LedgerSimulation.scene]?.deaths == 0)
        simulation.launch()
        simulation.end(.signal(4), at: "turn-begin")
        #expect(isQuarantine(simulation.decide()))
    }

    @Test func `L3: surviving the grace period resets the number of deaths`() {
        var simulation = LedgerSimulation()
        for _ in 1...2 {
            simulation.launch()
            simulation.end(.signal(4), at: "turn-begin")
        }
        simulation.launch()
        let launches = simulation.ledger.scenes[LedgerSimulation.scene]
        #expect(
            launches?.hasSurvivedGracePeriod(
                at: simulation.time + LaunchLimits.gracePeriodMilliseconds)
                == false)
        #expect(
            launches?.hasSurvivedGracePeriod(
                at: simulation.time + LaunchLimits.gracePeriodMilliseconds + 1) == true)
        simulation.ledger.apply(.survivedGracePeriod(scene: LedgerSimulation.scene))
        // The scene still counts as launched.
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.launchedAt == simulation.time)
        simulation.end()
        simulation.launch()
        simulation.end(.signal(4), at: "turn-begin")
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == 1)
        #expect(simulation.decide() == .launch)
    }

    @Test(arguments: ["a\nb", "a\0b", "@a", String(repeating: "é", count: 400), "", "ok"])
    func `L2: a stamp identifies its scene, whatever the scene's name is`(name: String) throws {
        let scene = SceneKey(application: "org.example", scene: name)
        let text = "p\tsignal 4\t7\tlaunch-found\t\(scene.subject)"
        #expect(scene.subject.utf8.count < 640)
        #expect(scene.subject.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 })
        var ledger = LaunchLedger(processID: "p")
        let identity = ProgramIdentity(
            version: "1", storyboardFingerprint: 0, executableChecksum: 0)
        ledger.apply(
            .launching(
                launch: LaunchInProgress(
                    boot: "", scene: scene, attempt: 1, reason: "restore", stage: "launch-begin",
                    identity: identity)))
        ledger.recordProcessEnd(CrashRecorder.lines(in: Array("\(text)\n".utf8)), bootID: "")
        #expect(ledger.scenes[scene]?.crashes == 1)
    }

    @Test func `L3: a death outside any scene's code is attributed to the only launched scene`() {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.end(.signal(6), in: nil)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == 1)
        simulation.launch()
        simulation.launch(LedgerSimulation.other)
        simulation.end(.signal(6), in: nil)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == 1)
        simulation.launch()
        simulation.end(.exit(1), in: nil)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == 1)
    }

    @Test
    func `L8: if the pristine launch also crashes, the state is moved back and the scene stopped`()
        throws
    {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.end()
        simulation.crash()
        simulation.quarantine()
        simulation.crash()
        let decision = simulation.decide(hasState: false)
        guard case .putBack(let name, let stop) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(name == "1-main")
        #expect(
            stop.reason.hasSuffix(
                "even without its saved state, so the saved state is not the cause"))
        simulation.ledger.apply(.refused(scene: LedgerSimulation.scene, refusal: stop))
        // The decision remains the same until the state is restored.
        #expect(simulation.decide(hasState: false) == decision)
        simulation.ledger.apply(.restoredFromQuarantine(scene: LedgerSimulation.scene))
        #expect(simulation.decide() == .stop(stop))
    }

    @Test func `L8: a crash without any saved state stops the scene`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        #expect(stop(simulation.decide(hasState: false))?.reason.contains("no saved state") == true)
    }

    @Test func `L8: a stopped scene that a user launches stays stopped if it crashes again`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        guard let stop = stop(simulation.decide(hasState: false)) else {
            Issue.record("\(simulation.decide(hasState: false))")
            return
        }
        simulation.ledger.apply(.refused(scene: LedgerSimulation.scene, refusal: stop))
        simulation.crash()
        #expect(simulation.decide() == .stop(stop))
        simulation.launch()
        simulation.end()
        #expect(simulation.decide() == .launch)
    }

    @Test
    func `L8: a crash of a program that never launched successfully does not change the state`() {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.end()
        simulation.program = "2"
        simulation.crash()
        guard let stop = stop(simulation.decide()) else {
            Issue.record("\(simulation.decide())")
            return
        }
        #expect(stop.reason.contains("another version of the program"))
        simulation.ledger.apply(.refused(scene: LedgerSimulation.scene, refusal: stop))
        #expect(simulation.decide() == .stop(stop))
        // Another program launches the scene with its state, and so does the old program.
        simulation.program = "3"
        #expect(simulation.decide() == .launch)
        simulation.program = "1"
        #expect(simulation.decide() == .launch)
        simulation.launch()
        simulation.end()
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
    }

    @Test
    func `L8: the state from before a reset is restored, whichever program crashes without it`() {
        for program in ["1", "2"] {
            var simulation = LedgerSimulation()
            simulation.launch()
            simulation.program = program
            simulation.ledger.apply(.replaced(scene: LedgerSimulation.scene, generation: "g"))
            simulation.crash()
            guard case .fallBack(generation: "g", _) = simulation.decide(hasState: false) else {
                Issue.record("\(simulation.decide(hasState: false))")
                return
            }
            simulation.ledger.apply(.fellBack(scene: LedgerSimulation.scene))
            #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.replaced == nil)
            #expect(simulation.decide() == .launch)
        }
    }

    @Test func `R2: a scene awaits its new state until a launch succeeds or the process dies`() {
        func awaits(_ simulation: LedgerSimulation) -> Bool {
            simulation.ledger.scenes[LedgerSimulation.scene]?.nextLaunchUsesNewState == true
        }
        var simulation = LedgerSimulation()
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
        simulation.ledger.apply(.newState(scene: LedgerSimulation.scene))
        // The crash was counted for the previous state.
        #expect(simulation.decide() == .launch && awaits(simulation))
        var killed = simulation
        killed.begin()
        #expect(awaits(killed))
        killed.end()
        #expect(!awaits(killed))
        simulation.launch()
        #expect(!awaits(simulation))
    }

    @Test func `L8: a quarantined state is not moved back after new state has replaced it`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        simulation.quarantine()
        simulation.ledger.apply(.newState(scene: LedgerSimulation.scene))
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.quarantined == nil)
    }

    @Test func `reinstating a scene restores its earlier record`() throws {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.ledger.apply(.replaced(scene: LedgerSimulation.scene, generation: "g"))
        let known = try #require(simulation.ledger.scenes[LedgerSimulation.scene])
        simulation.program = "2"
        simulation.begin()
        simulation.ledger.apply(.abandoned)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene] != known)
        simulation.ledger.apply(.reinstated(scene: LedgerSimulation.scene, launches: known))
        #expect(simulation.ledger.scenes[LedgerSimulation.scene] == known)
        var forged = known
        forged.crashes = .max
        simulation.ledger.apply(.reinstated(scene: LedgerSimulation.scene, launches: forged))
        #expect(
            try #require(simulation.ledger.scenes[LedgerSimulation.scene]).failedLaunchCount < .max)
        simulation.ledger.apply(
            .reinstated(scene: LedgerSimulation.scene, launches: SceneLaunches()))
        #expect(simulation.ledger.scenes[LedgerSimulation.scene] == nil)
    }

    @Test func `L8: without an earlier successful program, a crash quarantines the state`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        #expect(isQuarantine(simulation.decide()))
    }

    @Test func `L8: the crashes of one program do not count against another`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        simulation.program = "2"
        #expect(simulation.decide() == .launch)
        simulation.limits = LaunchLimits(launchCrashLimit: 2)
        simulation.crash()
        #expect(simulation.decide() == .launch)
    }

    @Test func `L8: repeated deaths without the quarantined state move the state back`() {
        var simulation = LedgerSimulation()
        for _ in 1...3 {
            simulation.launch()
            simulation.end(.signal(4), at: "turn-begin")
        }
        simulation.quarantine(.running)
        for _ in 1...3 {
            #expect(simulation.decide() == .launch)
            simulation.launch()
            simulation.end(.signal(4), at: "turn-begin")
        }
        guard case .putBack(name: "1-main", _) = simulation.decide() else {
            Issue.record("\(simulation.decide())")
            return
        }
        // A scene that ends normally shows that the quarantined state was the cause.
        simulation.launch()
        simulation.ledger.apply(.closed(scene: LedgerSimulation.scene))
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.quarantined == nil)
    }

    @Test func `an interrupted quarantine is finished before anything else`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        let state = QuarantinedState(name: "1-main", record: 7, cause: .launching)
        simulation.ledger.apply(.quarantined(scene: LedgerSimulation.scene, state: state))
        simulation.end()
        #expect(simulation.decide() == .removeFromArchive(record: 7))
        // A successful launch in the meantime does not show what the archive contains.
        simulation.launch()
        simulation.end()
        #expect(simulation.decide() == .removeFromArchive(record: 7))
        simulation.ledger.apply(.removedFromArchive(scene: LedgerSimulation.scene))
        #expect(simulation.decide(hasState: false) == .launch)
    }

    @Test func `L1: a forced quit clears everything that is recorded about the application`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        let other = SceneKey(application: "org.example.Other", scene: "main")
        simulation.launch(other)
        for application in ["org.example", other.application] {
            let problem = RecordedProblem(sentence: "it failed", time: 1)
            simulation.ledger.apply(.problem(application: application, problem: problem))
        }
        simulation.ledger.apply(.forgotten(application: "org.example"))
        #expect(Array(simulation.ledger.scenes.keys) == [other])
        #expect(Array(simulation.ledger.problems.keys.map(\.text)) == [other.application])
    }

    @Test func `a kill is distinguished from a reboot of the machine`() {
        var simulation = LedgerSimulation()
        simulation.begin()
        simulation.boot = "next"
        simulation.end()
        #expect(
            simulation.ledger.scenes[LedgerSimulation.scene]?.lastEnd
                == "the machine went down at the stage launch-found")
        simulation.begin()
        simulation.end()
        #expect(
            simulation.ledger.scenes[LedgerSimulation.scene]?.lastEnd
                == "the process was killed at the stage launch-found")
    }

    @Test func `the ledger keeps a limited number of scenes without problems`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        for number in 0..<LaunchLedger.maximumScenesWithoutProblems + 3 {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            simulation.launch(scene)
            simulation.ledger.apply(.closed(scene: scene))
        }
        simulation.end()
        #expect(simulation.ledger.scenes.count == LaunchLedger.maximumScenesWithoutProblems + 1)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.crashes == 1)
    }

    @Test func `one process keeps a limited number of closed scenes without problems`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        for number in 0..<3 * LaunchLedger.maximumScenesWithoutProblems {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            simulation.launch(scene)
            simulation.ledger.apply(.closed(scene: scene))
        }
        #expect(simulation.ledger.scenes.count == 2 * LaunchLedger.maximumScenesWithoutProblems)
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.crashes == 1)
    }

    @Test func `scenes without problems are encoded in fewer than 30 bytes each and decoded again`()
        throws
    {
        var simulation = LedgerSimulation()
        simulation.crash()
        for number in 0..<1000 {
            let scene = SceneKey(
                application: "org.example", scene: number == 7 ? "a/b" : "scene\(number)")
            simulation.launch(scene)
            if number < 500 { simulation.ledger.apply(.closed(scene: scene)) }
        }
        let bytes = try JSONEncoder().encode(simulation.ledger)
        #expect(bytes.count < 30 * 1000)
        #expect(try JSONDecoder().decode(LaunchLedger.self, from: bytes) == simulation.ledger)
    }

    @Test func `if there are too many scenes, those running when the process ended are kept`()
        throws
    {
        var simulation = LedgerSimulation()
        for number in 0..<2 * LaunchLedger.maximumScenesWithoutProblems {
            let scene = SceneKey(application: "org.example", scene: "scene\(number)")
            simulation.launch(scene)
            if number.isMultiple(of: 2) { simulation.ledger.apply(.closed(scene: scene)) }
        }
        simulation.launch(LedgerSimulation.scene)
        let bytes = try JSONEncoder().encode(simulation.ledger)
        let read = try JSONDecoder().decode(LaunchLedger.self, from: bytes)
        #expect(
            read.scenes[LedgerSimulation.scene] == simulation.ledger.scenes[LedgerSimulation.scene])
        let launched = read.scenes.values.count { $0.launchedAt != nil }
        #expect(launched == LaunchLedger.maximumScenesWithoutProblems + 1)
    }

    @Test func `L3: surviving the grace period without the quarantined state clears the problem`() {
        var simulation = LedgerSimulation()
        simulation.quarantine(.running)
        simulation.launch()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.quarantined != nil)
        simulation.ledger.apply(.survivedGracePeriod(scene: LedgerSimulation.scene))
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.quarantined == nil)
    }

    @Test func `a scene whose launch begins again no longer counts as launched`() {
        var simulation = LedgerSimulation()
        simulation.launch()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.launchedAt == simulation.time)
        simulation.begin()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.launchedAt == nil)
    }

    @Test func `scenes without problems are encoded compactly, and every problem is encoded`()
        throws
    {
        let identity = ProgramIdentity(rawValue: "1f")
        var ledger = LaunchLedger(processID: "0")
        for (name, time) in [("s", 5), ("t", 6)] as [(String, UInt64)] {
            let scene = SceneKey(application: "a.b", scene: name)
            let launch = LaunchInProgress(
                boot: "b", scene: scene, attempt: 1, reason: "restore", stage: "x",
                identity: identity)
            ledger.apply(.launching(launch: launch))
            ledger.apply(.launched(scene: scene, identity: identity, time: time))
        }
        for (application, time) in [("a.b", 1), ("c.d", 2)] as [(String, Int64)] {
            let problem = RecordedProblem(sentence: "p", time: time)
            ledger.apply(.problem(application: application, problem: problem))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(ledger)
        let expected =
            #"{"groups":[{"application":"a.b","goodIdentity":"1f","identity":"1f","#
            + #""launchedAt":[5,6],"scenes":"s/t/"}],"problems":{"a.b":{"sentence":"p","time":1},"#
            + #""c.d":{"sentence":"p","time":2}},"process":"0","scenes":[],"version":1}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(try JSONDecoder().decode(LaunchLedger.self, from: bytes) == ledger)
    }

    @Test func `L3: a death before the launch, as in a forged stamp, does not count`() {
        var simulation = LedgerSimulation()
        simulation.launch()
        simulation.time -= 1
        simulation.end(.signal(4), at: "turn-begin")
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.deaths == 0)
    }

    @Test func `a launch clears how the process last ended, unless deaths are counted`() {
        var simulation = LedgerSimulation()
        simulation.limits = LaunchLimits(launchCrashLimit: 3)
        simulation.crash()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.lastEnd != nil)
        simulation.launch()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.lastEnd == nil)
        simulation.end(.signal(4), at: "turn-begin")
        simulation.launch()
        #expect(simulation.ledger.scenes[LedgerSimulation.scene]?.lastEnd != nil)
    }

    /// Tests a scene whose state was replaced, after enough crashes for the launch guard to intervene.
    @Test(
        arguments: [
            (false, false, "fallBack"), (false, true, "fallBack"), (true, false, "fallBack"),
            (true, true, "stop"),
        ])
    func `L8: a replaced state is restored unless another program is the cause`(
        isOfProgram: Bool, hasState: Bool, decision: String
    ) {
        var ledger = LaunchLedger(processID: "1")
        let identity = ProgramIdentity(rawValue: "new")
        ledger.updateLaunches(of: LedgerSimulation.scene) {
            $0.identity = identity
            $0.goodIdentity = isOfProgram ? ProgramIdentity(rawValue: "old") : identity
            $0.crashes = 1
            $0.replaced = "/history/000001.archive"
        }
        let decided = ledger.decide(
            LedgerSimulation.scene, identity: identity, hasState: hasState, limits: LaunchLimits())
        switch decided {
        case .fallBack(generation: "/history/000001.archive", _): #expect(decision == "fallBack")
        case .stop: #expect(decision == "stop")
        default: Issue.record("\(decided)")
        }
    }

    @Test(
        arguments: [
            (1, 0, 0, "while it launched the scene: e"),
            (2, 1, 0, "while it launched the scene 3 times in a row: e"),
            (0, 0, 3, "soon after its launch 3 times in a row: e"),
        ])
    func `the reason for a quarantine states how often the program died in that way`(
        crashes: Int, kills: Int, deaths: Int, reason: String
    ) {
        var launches = SceneLaunches()
        (launches.crashes, launches.kills, launches.deaths) = (crashes, kills, deaths)
        launches.lastEnd = "e"
        let fault: LaunchFault = deaths > 0 ? .running : .launching
        #expect(launches.crashDescription(fault) == "the program died \(reason)")
    }

    @Test func `a scene without saved state is stopped instead of quarantined`() {
        var simulation = LedgerSimulation()
        simulation.crash()
        #expect(
            stop(simulation.decide(hasState: false))?.reason.hasSuffix("no saved state") == true)
        #expect(isQuarantine(simulation.decide()))
    }
}
