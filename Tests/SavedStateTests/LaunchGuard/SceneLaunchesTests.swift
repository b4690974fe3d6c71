import FoundationEssentials
import LinuxIO
import Testing

@testable import SavedState

/// Tests of the fields of a scene's launches that each event changes.
@Suite struct SceneLaunchesTests {
    private static let scene = SceneKey(application: "org.example", scene: "main")
    private static let other = SceneKey(application: "org.other", scene: "main")
    private static let program = ProgramIdentity(rawValue: "a")

    /// Scene in which every field is set.
    private static let full = #"""
        {"crashes":1,"deaths":3,"goodIdentity":"a","hasNewState":true,"identity":"a","isChanged":true,"kills":2,
        "lastEnd":"e","launchedAt":50,"quarantined":{"cause":"launching","isTakenOut":true,"name":"q","record":7},
        "replaced":"g","stopped":{"identity":"a","reason":"s"}}
        """#

    private static func launches(_ text: String = full) throws -> SceneLaunches {
        try JSONDecoder().decode(SceneLaunches.self, from: Data(text.utf8))
    }

    /// Returns the fields as text.
    private static func fields(_ launches: SceneLaunches?) throws -> [String: String] {
        guard let launches else { return [:] }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(launches), as: UTF8.self)
        var fields: [String: String] = [:]
        // No text in these tests contains a brace or a comma.
        for field in text.dropFirst().dropLast().matches(of: /"(\w+)":(\{[^}]*\}+|[^,]+)/) {
            fields["\(field.1)"] = "\(field.2)"
        }
        return fields
    }

    private static func ledger(_ text: String = full) throws -> LaunchLedger {
        var ledger = LaunchLedger(processID: "p")
        for scene in [scene, other] {
            ledger.apply(.reinstated(scene: scene, launches: try launches(text)))
        }
        return ledger
    }

    /// Returns the fields that a change sets or removes.
    private static func changes(
        _ text: String = full, by change: (inout LaunchLedger) -> Void
    ) throws -> [String] {
        var ledger = try ledger(text)
        let before = try fields(ledger.scenes[scene])
        change(&ledger)
        let after = try fields(ledger.scenes[scene])
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            before[name] == after[name] ? nil : "\(name) \(after[name] ?? "-")"
        }
    }

    private static func launch(_ identity: String) -> LaunchInProgress {
        LaunchInProgress(
            boot: "b", scene: scene, attempt: 1, reason: "restore", stage: "launch-begin",
            identity: ProgramIdentity(rawValue: identity))
    }

    private static let counts = ["crashes 0", "deaths 0", "kills 0", "lastEnd -"]

    @Test(
        arguments: [
            (.launching(launch: launch("a")), ["launchedAt -"]),
            (
                .launching(launch: launch("b")),
                ["crashes 0", "deaths 0", "identity \"b\"", "kills 0", "lastEnd -"]
                    + ["launchedAt -", "stopped -"]
            ),
            (.stage(name: "launch-found"), []),
            (
                .launched(scene: scene, identity: ProgramIdentity(rawValue: "b"), time: 9),
                ["crashes 0", "goodIdentity \"b\"", "hasNewState -", "kills 0", "launchedAt 9"]
                    + ["quarantined -", "stopped -"]
            ),
            (.abandoned, []),
            (
                .survivedGracePeriod(scene: scene),
                ["isChanged -", "quarantined -", "replaced -"] + counts
            ),
            (
                .closed(scene: scene),
                ["isChanged -", "launchedAt -", "quarantined -", "replaced -"] + counts
            ),
            (
                .quarantined(
                    scene: scene, state: QuarantinedState(name: "n", record: 1, cause: .running)),
                [
                    #"quarantined {"cause":"running","isTakenOut":false,"name":"n","record":1}"#
                ]
            ),
            (.removedFromArchive(scene: scene), counts),
            (
                .refused(scene: scene, refusal: LaunchRefusal(reason: "n", identity: program)),
                [#"stopped {"identity":"a","reason":"n"}"#]
            ),
            (.restoredFromQuarantine(scene: scene), ["quarantined -"]),
            (.replaced(scene: scene, generation: "h"), ["isChanged -", #"replaced "h""#]),
            (.replaced(scene: scene, generation: nil), ["isChanged -", "replaced -"]),
            (.changed(scene: scene), []),
            (.newState(scene: scene), ["quarantined -", "stopped -"] + counts),
            (.reinstated(scene: scene, launches: SceneLaunches()), all),
            (.fellBack(scene: scene), ["hasNewState -", "isChanged -", "replaced -"] + counts),
            (
                .problem(
                    application: scene.application, problem: RecordedProblem(sentence: "p", time: 1)
                ),
                []
            ),
            (.forgotten(application: scene.application), all),
            (.forgotten(application: other.application), []),
        ] as [(LaunchEvent, [String])])
    func `each event changes the expected fields of its scene and no others`(
        event: LaunchEvent, changes: [String]
    ) throws {
        #expect(try Self.changes { $0.apply(event) } == changes.sorted())
        if case .forgotten(Self.other.application) = event { return }
        var ledger = try Self.ledger()
        ledger.apply(event)
        let isEqual = try ledger.scenes[Self.other] == Self.launches()
        #expect(isEqual)
    }

    private static let all = [
        "crashes -", "deaths -", "goodIdentity -", "hasNewState -", "identity -", "isChanged -",
        "kills -", "lastEnd -", "launchedAt -", "quarantined -", "replaced -", "stopped -",
    ]

    @Test(
        arguments: [
            (#""deaths":3"#, #""deaths":0"#, "lastEnd -", true),
            (#""deaths":3"#, #""deaths":1"#, "lastEnd -", false),
            (#""cause":"launching""#, #""cause":"running""#, "quarantined -", false),
            (#""isTakenOut":true"#, #""isTakenOut":false"#, "quarantined -", false),
        ])
    func `a successful launch clears only the records that it disproves`(
        part: String, replacement: String, change: String, isMade: Bool
    ) throws {
        let text = Self.full.replacing(part, with: replacement)
        let event = LaunchEvent.launched(scene: Self.scene, identity: Self.program, time: 9)
        let changes = try Self.changes(text) { $0.apply(event) }
        #expect(changes.contains(change) == isMade)
    }

    @Test func `a quarantined state stays recorded until it is removed from the archive`() throws {
        let text = Self.full.replacing(#""isTakenOut":true"#, with: #""isTakenOut":false"#)
        for event in [
            LaunchEvent.survivedGracePeriod(scene: Self.scene), .closed(scene: Self.scene),
        ] {
            let changes = try Self.changes(text) { $0.apply(event) }
            #expect(!changes.contains("quarantined -"))
        }
        let taken = try Self.changes(text) { $0.apply(.removedFromArchive(scene: Self.scene)) }
        #expect(
            taken.contains(
                #"quarantined {"cause":"launching","isTakenOut":true,"name":"q","record":7}"#))
    }

    @Test func `only a replaced state can be marked as changed`() throws {
        let unchanged = Self.full.replacing(#""isChanged":true,"#, with: "")
        #expect(
            try Self.changes(unchanged) { $0.apply(.changed(scene: Self.scene)) }
                == ["isChanged true"])
        let present = unchanged.replacing(#""replaced":"g","#, with: "")
            .replacing("\n\"replaced\":\"g\",", with: "\n")
        #expect(try Self.changes(present) { $0.apply(.changed(scene: Self.scene)) } == [])
    }

    @Test(
        arguments: [
            (49, []), (50, ["deaths 4", #"lastEnd "signal 4 (SIGILL) at the stage turn""#]),
            (
                50 + LaunchLimits.gracePeriodMilliseconds,
                ["deaths 4", #"lastEnd "signal 4 (SIGILL) at the stage turn""#]
            ),
            (
                51 + LaunchLimits.gracePeriodMilliseconds,
                ["isChanged -", "launchedAt -", "quarantined -", "replaced -"] + counts
            ),
        ] as [(UInt64, [String])])
    func `L3: a death counts from the launch until the end of the grace period`(
        time: UInt64, changes: [String]
    ) throws {
        let line = CrashRecorder.Line(
            processID: "p", end: .signal(4), bootTimeMilliseconds: time,
            context: ("turn", Self.scene.subject))
        #expect(
            try Self.changes { $0.recordProcessEnd([line], bootID: "b") } == changes.sorted())
    }

    @Test(
        arguments: [
            (true, true, true, true), (false, true, true, true), (true, false, true, true),
            (true, true, false, true), (false, false, true, true), (true, false, false, true),
            (false, true, false, true), (false, false, false, false),
        ])
    func `L3: only deaths, replaced state or quarantined state give a scene a grace period`(
        hasDied: Bool, isReplaced: Bool, isTakenOut: Bool, mayEndure: Bool
    ) throws {
        var launches = SceneLaunches()
        launches.deaths = hasDied ? 1 : 0
        launches.replaced = isReplaced ? "g" : nil
        launches.quarantined = QuarantinedState(name: "q", record: 1, cause: .running)
        launches.quarantined?.isTakenOut = isTakenOut
        #expect(!launches.isInGracePeriod)
        launches.launchedAt = 50
        #expect(launches.isInGracePeriod == mayEndure)
        for (time, isLong) in [
            (0, false), (50, false), (50 + LaunchLimits.gracePeriodMilliseconds, false),
            (51 + LaunchLimits.gracePeriodMilliseconds, true),
        ] as [(UInt64, Bool)] {
            #expect(launches.hasSurvivedGracePeriod(at: time) == (mayEndure && isLong))
        }
    }

    @Test(arguments: [-1, 0, 1, 999_999, 1_000_000, 1_000_001, .max])
    func `counts of crashes, kills and deaths are clamped to the range from 0 to 1,000,000`(
        count: Int
    ) throws {
        let limited = min(max(count, 0), 1_000_000)
        var launches = SceneLaunches()
        (launches.crashes, launches.kills, launches.deaths) = (count, count, count)
        launches.limitCounts()
        #expect(
            [launches.crashes, launches.kills, launches.deaths] == [limited, limited, limited])
    }

    @Test(
        arguments: [
            (0, 0, 0, nil), (1, 0, 0, nil), (2, 0, 0, .launching), (0, 5, 0, nil),
            (0, 6, 0, .launching),
            (0, 0, 2, nil), (0, 0, 3, .running), (2, 0, 3, .launching), (1, 5, 2, nil),
        ] as [(Int, Int, Int, LaunchFault?)])
    func `L2: the limits of crashes, kills and deaths are separate`(
        crashes: Int, kills: Int, deaths: Int, fault: LaunchFault?
    ) {
        var launches = SceneLaunches()
        (launches.crashes, launches.kills, launches.deaths) = (crashes, kills, deaths)
        #expect(launches.fault(within: LaunchLimits(launchCrashLimit: 2)) == fault)
        #expect(launches.failedLaunchCount == crashes + kills)
        #expect(launches.crashAndKillCount == crashes + kills + deaths)
    }

    @Test func `a scene awaits its new state until a failure is counted`() {
        var launches = SceneLaunches()
        #expect(!launches.nextLaunchUsesNewState)
        launches.recordNewState()
        #expect(launches.nextLaunchUsesNewState)
        launches.kills = 1
        #expect(!launches.nextLaunchUsesNewState)
    }

    @Test func `a process knows its boot, its program and the time since the boot`() {
        let (one, other) = (LaunchEnvironment.current(), LaunchEnvironment.current())
        #expect(one.bootID == other.bootID && !one.bootID.isEmpty)
        #expect(one.executableChecksum == other.executableChecksum && one.executableChecksum != 0)
        #expect(one.processID != other.processID)
        let time = one.now()
        #expect(time > 0 && other.now() >= time)
    }
}
