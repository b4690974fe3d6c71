import Dispatch
import Glibc
import LinuxIO
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import SavedState

/// Tests of the guard's files and their adoption by later processes.
@Suite struct LaunchGuardTests {
    private static let scene = SceneKey(application: "org.example", scene: "main")
    private static let identity = ProgramIdentity(
        version: "1", storyboardFingerprint: 2, executableChecksum: 3)

    private func launchGuard(_ process: String, on disk: SimulatedDisk) -> LaunchGuard {
        LaunchGuard(
            in: disk.root,
            environment: LaunchEnvironment(
                bootID: "boot", processID: process, executableChecksum: 3, now: { 5000 }))
    }

    private func decide(_ launches: LaunchGuard) -> LaunchDecision {
        launches.decide(
            Self.scene, identity: Self.identity, hasState: true, limits: LaunchLimits())
    }

    private func begin(_ launches: LaunchGuard) {
        launches.beginLaunch(
            of: Self.scene, reason: "restore", stage: "launch-begin", identity: Self.identity)
    }

    /// Simulates a process that crashes while it launches the scene.
    private func crash(_ process: String, on disk: SimulatedDisk) throws {
        begin(launchGuard(process, on: disk))
        let line = "\(process)\tsignal 4\t9000\tlaunch-found\torg.example\tmain\n"
        try #require(try disk.root.openForAppending("stamp")).write(Array(line.utf8))
    }

    @Test func `a ledger that cannot be written at the start is written on request`() throws {
        let disk = SimulatedDisk()
        begin(launchGuard("a", on: disk))
        let before = disk.file("launches")
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        let second = launchGuard("b", on: disk)
        #expect(throws: IOError.self) { try second.rewrite() }
        #expect(disk.file("launches") == before)
        disk.inject(nil)
        #expect(try second.rewrite())
        #expect(disk.file("launches") != before)
        #expect(launchGuard("c", on: disk).launches(of: Self.scene)?.kills == 1)

        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EIO, isPermanent: true, kinds: [.open, .read, .rename]))
        #expect(try !launchGuard("d", on: disk).rewrite(), "nobody could read it")
    }

    @Test func `L2: a crash while files are read counts against no scene`()
        async throws
    {
        try await withScratchDirectory { path async throws in
            await #expect(processExitsWith: .signal(SIGILL)) { [path = path as String] in
                let launches = LaunchGuard(in: try Directory.openOrCreate(path))
                launches.beginLaunch(
                    of: Self.scene, reason: "restore", stage: "launch-begin",
                    identity: Self.identity)
                launches.readFiles(of: "org.other") { fatalError("as the test wants") }
            }
            let next = LaunchGuard(in: try Directory.openOrCreate(path))
            #expect(next.launches(of: Self.scene)?.crashAndKillCount == 0)
            #expect(decide(next) == .launch)
        }
    }

    @Test func `L2: every recorded event is known to the next process`() throws {
        let disk = SimulatedDisk()
        let first = launchGuard("a", on: disk)
        let other = SceneKey(application: "org.example", scene: "öther scene")
        begin(first)
        first.recordLaunch(Self.scene, identity: Self.identity)
        first.beginLaunch(
            of: other, reason: "pristine", stage: "launch-begin", identity: Self.identity)
        first.record([.stage(name: "launch-found"), .stage(name: "launch-made")])
        let (ledger, damage) = LaunchFiles.parse(try #require(disk.file("launches")))
        #expect(damage == nil)
        #expect(
            ledger.launch
                == LaunchInProgress(
                    boot: "boot", scene: other, attempt: 1, reason: "pristine",
                    stage: "launch-made", identity: Self.identity))
        #expect(ledger.scenes[Self.scene]?.launchedAt == 5000)

        let second = launchGuard("b", on: disk)
        #expect(second.launches(of: other)?.kills == 1)
        #expect(second.launches(of: Self.scene)?.goodIdentity == Self.identity)
        #expect(second.consumeProblems() == [])
    }

    @Test func `L2: a stamp counts once, for the process that left it`() throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        guard case .quarantine = decide(launchGuard("b", on: disk)) else {
            Issue.record("the crash was not counted")
            return
        }
        #expect(disk.file("stamp") == [])
        #expect(launchGuard("c", on: disk).launches(of: Self.scene)?.crashes == 1)
    }

    @Test func `each launch of a scene has a higher attempt number`() throws {
        let disk = SimulatedDisk()
        for _ in 1...3 { begin(launchGuard("a", on: disk)) }
        let bytes = try #require(disk.file("launches"))
        #expect(LaunchFiles.parse(bytes).ledger.launch?.attempt == 3)
    }

    @Test func `the launches file does not grow without bound`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        for _ in 1...5000 {
            begin(launches)
            launches.recordLaunch(Self.scene, identity: Self.identity)
            launches.record(.closed(scene: Self.scene))
        }
        #expect(try #require(disk.file("launches")).count < 1 << 20)
    }

    @Test
    func `events are appended until they exceed the length of the ledger, then it is rewritten`()
        throws
    {
        let disk = SimulatedDisk()
        func stop(_ scene: String, bytes: Int) -> LaunchEvent {
            .refused(
                scene: SceneKey(application: "org.example", scene: scene),
                refusal: LaunchRefusal(
                    reason: String(repeating: "x", count: bytes), identity: Self.identity))
        }
        launchGuard("a", on: disk).record(stop("first", bytes: 400_000))
        let launches = launchGuard("b", on: disk)
        launches.recordSurvivingScenes()
        let before = try #require(disk.file("launches"))
        launches.record(stop("second", bytes: 300_000))
        let appended = try #require(disk.file("launches"))
        #expect(appended.starts(with: before) && appended.count > before.count)
        launches.record(stop("third", bytes: 300_000))
        #expect(try !#require(disk.file("launches")).starts(with: before))
    }

    @Test(arguments: ["x", "{}\n", "{\"version\":2}\n", "\0\0\0\0\n"])
    func `a damaged ledger is moved and reported, and every scene is launched`(
        content: String
    ) throws {
        let disk = SimulatedDisk()
        disk.put(Array(content.utf8), at: "launches")
        let launches = launchGuard("a", on: disk)
        #expect(decide(launches) == .launch)
        let problems = launches.consumeProblems()
        #expect(problems.count == 1)
        guard case .damaged(path: "/state/launches.damaged", _) = problems.first else {
            Issue.record("\(problems)")
            return
        }
        #expect(disk.file("launches.damaged") == Array(content.utf8))
        // The guard continues to work, and reports the problem only once.
        begin(launches)
        #expect(launches.consumeProblems() == [])
        #expect(launchGuard("b", on: disk).launches(of: Self.scene)?.kills == 1)
    }

    @Test func `extreme numbers in the ledger do not crash the process`() throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        _ = decide(launchGuard("b", on: disk))
        let text = String(decoding: try #require(disk.file("launches")), as: UTF8.self)
        for number in ["9223372036854775807", "-9223372036854775808"] {
            let forged = text.replacing("\"crashes\":1", with: "\"crashes\":\(number)")
                .replacing("\"kills\":0", with: "\"kills\":\(number)")
                .replacing("\"deaths\":0", with: "\"deaths\":\(number)")
            try #require(forged != text)
            disk.put(Array(forged.utf8), at: "launches")
            for process in ["c", "d", "e"] {
                try crash(process, on: disk)
                begin(launchGuard("\(process)2", on: disk))
            }
        }
    }

    @Test func `an event that a power cut tore is ignored`() throws {
        let disk = SimulatedDisk()
        let first = launchGuard("a", on: disk)
        begin(first)
        let bytes = try #require(disk.file("launches"))
        first.recordLaunch(Self.scene, identity: Self.identity)
        let intact = try #require(disk.file("launches"))
        for length in bytes.count..<intact.count {
            disk.put(Array(intact.prefix(length)), at: "launches")
            let next = launchGuard("b", on: disk.copy(afterPowerCut: false))
            #expect(next.launches(of: Self.scene)?.kills == 1)
            #expect(next.consumeProblems() == [])
        }
    }

    @Test func `on a read-only disk, the guard is off and reports the problem once`() throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        let before = disk.file("launches")
        // Files can be read but not written.
        disk.inject(SimulatedDisk.Fault(operation: 3, code: EROFS, isPermanent: true))
        let launches = launchGuard("b", on: disk)
        #expect(decide(launches) == .launch)
        begin(launches)
        launches.recordLaunch(Self.scene, identity: Self.identity)
        let problems = launches.consumeProblems()
        #expect(problems.count == 1)
        guard case .eventsNotStored(let error) = problems.first else {
            Issue.record("\(problems)")
            return
        }
        #expect(error.code == EROFS)
        disk.inject(nil)
        #expect(disk.file("launches") == before)
    }

    @Test func `an event that cannot be written is reported as a problem`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        begin(launches)
        #expect(launches.consumeProblems() == [])
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        launches.recordLaunch(Self.scene, identity: Self.identity)
        guard case .eventsNotStored(let error) = launches.consumeProblems().first else {
            Issue.record("nothing is wrong")
            return
        }
        #expect(error.code == ENOSPC)
    }

    @Test func `stamps that cannot be removed are reported as a problem`() throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: [.truncate]))
        guard case .eventsNotStored(let error) = launchGuard("b", on: disk).consumeProblems().first
        else {
            Issue.record("nothing is wrong")
            return
        }
        #expect(error.code == EIO)
        #expect(error.path.hasSuffix("stamp"))
    }

    @Test(arguments: 1...12)
    func `a full disk leaves no partial ledger`(operation: Int) throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        disk.inject(
            SimulatedDisk.Fault(
                operation: operation, code: ENOSPC, isPermanent: true, kinds: .refusedWhenFull))
        let launches = launchGuard("b", on: disk)
        begin(launches)
        launches.record(.closed(scene: Self.scene), durably: true)
        #expect(disk.file("launches.new") == nil)
    }

    @Test func `L3: a scene that survives the grace period has no deaths in the next process`()
        throws
    {
        let disk = SimulatedDisk()
        let time = Mutex<UInt64>(5000)
        func launchGuard(_ process: String) -> LaunchGuard {
            LaunchGuard(
                in: disk.root,
                environment: LaunchEnvironment(
                    bootID: "boot", processID: process, executableChecksum: 3,
                    now: { time.withLock { $0 } }))
        }
        for process in ["a", "b"] {
            let launches = launchGuard(process)
            begin(launches)
            launches.recordLaunch(Self.scene, identity: Self.identity)
            let line = "\(process)\tsignal 4\t9000\tturn-begin\torg.example\tmain\n"
            try #require(try disk.root.openForAppending("stamp")).write(Array(line.utf8))
        }
        let launches = launchGuard("c")
        #expect(!launches.hasSceneInGracePeriod(Self.scene.application))
        begin(launches)
        launches.recordLaunch(Self.scene, identity: Self.identity)
        launches.recordSurvivingScenes()
        #expect(launches.launches(of: Self.scene)?.deaths == 2)
        #expect(launches.hasSceneInGracePeriod(Self.scene.application))
        time.withLock { $0 += LaunchLimits.gracePeriodMilliseconds + 1 }
        launches.recordSurvivingScenes()
        launches.waitUntilWritten()
        #expect(!launches.hasSceneInGracePeriod(Self.scene.application))
        #expect(launchGuard("d").launches(of: Self.scene)?.deaths == 0)
    }

    @Test func `no disk failure damages the ledger or adds crashes that did not happen`() throws {
        for operation in 1...40 {
            for isPermanent in [false, true] {
                let disk = SimulatedDisk()
                try crash("a", on: disk)
                disk.inject(
                    SimulatedDisk.Fault(
                        operation: operation, code: ENOSPC, isPermanent: isPermanent))
                let launches = launchGuard("b", on: disk)
                _ = decide(launches)
                begin(launches)
                launches.recordLaunch(Self.scene, identity: Self.identity)
                launches.record(.closed(scene: Self.scene))
                launches.record(.closed(scene: Self.scene), durably: true)
                #expect(launches.consumeProblems().count <= 2)
                disk.inject(nil)
                let next = launchGuard("c", on: disk)
                #expect((next.launches(of: Self.scene)?.crashes ?? 0) <= 1)
                #expect((next.launches(of: Self.scene)?.kills ?? 0) <= 1)
                guard next.consumeProblems().isEmpty else {
                    Issue.record("\(operation): a fault left a damaged file")
                    return
                }
            }
        }
    }

    @Test func `an empty file does not count as damaged`() throws {
        let disk = SimulatedDisk()
        disk.put([], at: "launches")
        let launches = launchGuard("a", on: disk)
        begin(launches)
        #expect(launches.consumeProblems() == [])
        #expect(disk.file("launches.damaged") == nil)
        #expect(launchGuard("b", on: disk).launches(of: Self.scene)?.kills == 1)
    }

    @Test(arguments: [false, true])
    func `durable events survive a power cut after the file is rewritten`(isFull: Bool) throws {
        let disk = SimulatedDisk()
        let stop = LaunchRefusal(reason: "for the test", identity: Self.identity)
        let first = launchGuard("a", on: disk)
        first.record(.refused(scene: Self.scene, refusal: stop), durably: true)
        let other = SceneKey(application: "org.example", scene: "other")
        // The file is rewritten by the next process or because of the size of its events, and no event requires a sync.
        let second = launchGuard("b", on: disk)
        second.record(.closed(scene: other))
        var count = 0
        for _ in 0..<10_000 where isFull {
            second.record(.closed(scene: other))
            let before = count
            count = disk.file("launches")?.count ?? 0
            if count < before { break }
        }
        for seed in 1...20 as ClosedRange<UInt64> {
            let cut = disk.snapshot.afterPowerCut(seed: seed)
            let next = launchGuard("c", on: cut)
            #expect(decide(next) == .stop(stop))
            #expect(next.consumeProblems() == [])
        }
    }

    @Test func `while one application waits for the disk, others do not wait`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        let other = SceneKey(application: "org.example.Other", scene: "main")
        begin(launches)
        launches.recordLaunch(Self.scene, identity: Self.identity)
        let (isSyncing, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        disk.setGate { kind in
            guard [.synchronize, .synchronizeData].contains(kind) else { return true }
            isSyncing.signal()
            mayEnd.wait()
            return true
        }
        let isEventPending = DispatchSemaphore(value: 0)
        let stop = LaunchRefusal(reason: "for the test", identity: Self.identity)
        DispatchQueue(label: "own thread").async {
            launches.record(.refused(scene: Self.scene, refusal: stop), durably: true)
            isEventPending.signal()
        }
        try #require(isSyncing.wait(timeout: .now() + 300) == .success)
        let isAnswered = DispatchSemaphore(value: 0)
        DispatchQueue(label: "own thread").async {
            #expect(launches.launches(of: other) == nil)
            #expect(launches.launches(of: Self.scene)?.stopped == stop)
            #expect(
                launches.decide(
                    other, identity: Self.identity, hasState: true, limits: LaunchLimits())
                    == .launch)
            launches.recordSurvivingScenes()
            launches.recordAbandonedLaunch()
            #expect(launches.launches(of: "org.example.Other") { _ in true }.isEmpty)
            #expect(launches.consumeCrashes(of: "org.example.Other").isEmpty)
            #expect(launches.consumeProblems() == [])
            isAnswered.signal()
        }
        #expect(isAnswered.wait(timeout: .now() + 300) == .success)
        disk.setGate(nil)
        mayEnd.signal()
        #expect(isEventPending.wait(timeout: .now() + 300) == .success)
        let next = launchGuard("b", on: disk.copy(afterPowerCut: true))
        #expect(decide(next) == .stop(stop))
    }

    @Test func `events that are recorded during a write are written together`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        begin(launches)
        let (isWriting, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        disk.setGate { kind in
            guard kind == .write else { return true }
            disk.setGate(nil)
            isWriting.signal()
            mayEnd.wait()
            return true
        }
        // The log of operations starts again.
        disk.inject(nil)
        let isRecorded = DispatchSemaphore(value: 0)
        DispatchQueue(label: "own thread").async {
            launches.record(.closed(scene: Self.scene))
            isRecorded.signal()
        }
        try #require(isWriting.wait(timeout: .now() + 300) == .success)
        let problem = RecordedProblem(sentence: "It failed.", time: 1)
        for application in ["a", "b"] { launches.record(problem, of: application) }
        mayEnd.signal()
        #expect(isRecorded.wait(timeout: .now() + 300) == .success)
        launches.waitUntilWritten()
        #expect(disk.log.count { $0 == .write } == 2)
        let bytes = try #require(disk.file("launches"))
        #expect(LaunchFiles.parse(bytes).ledger.problems.count == 2)
    }

    @Test func `events recorded by many threads are written in order`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<100 {
                let scene = SceneKey(application: "org.example", scene: "\(thread)")
                launches.record(.replaced(scene: scene, generation: "\(number)"))
                if number % 10 == 0 { launches.recordSurvivingScenes() }
            }
        }
        let (ledger, damage) = LaunchFiles.parse(try #require(disk.file("launches")))
        #expect(damage == nil)
        #expect(ledger.scenes.count == 8)
        #expect(ledger.scenes.values.allSatisfy { $0.replaced == "99" })
    }

    @Test func `a ledger that cannot be read is never overwritten`() throws {
        let disk = SimulatedDisk()
        begin(launchGuard("a", on: disk))
        let before = disk.file("launches")
        disk.inject(
            SimulatedDisk.Fault(
                operation: 1, code: EIO, isPermanent: true, kinds: [.read, .rename]))
        let launches = launchGuard("b", on: disk)
        #expect(decide(launches) == .launch)
        disk.inject(nil)
        begin(launches)
        launches.record(.closed(scene: Self.scene), durably: true)
        #expect(disk.file("launches") == before)
        #expect(launches.consumeProblems().count == 1)
    }

    @Test func `a durable event survives a power cut`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        let stop = LaunchRefusal(reason: "for the test", identity: Self.identity)
        launches.record(.refused(scene: Self.scene, refusal: stop), durably: true)
        let next = launchGuard("b", on: disk.copy(afterPowerCut: true))
        #expect(decide(next) == .stop(stop))
    }

    @Test
    func `programs with a different version, executable or resources have different identities`() {
        func identity(_ version: String, _ resources: UInt64, _ executable: UInt64)
            -> ProgramIdentity
        {
            ProgramIdentity(
                version: version, storyboardFingerprint: resources, executableChecksum: executable)
        }
        #expect(identity("1", 2, 3) == identity("1", 2, 3))
        let all = Set([
            identity("1", 2, 3), identity("2", 2, 3), identity("1", 3, 3), identity("1", 2, 4),
        ])
        #expect(all.count == 4)
        #expect(ProgramIdentity.executableChecksum() == ProgramIdentity.executableChecksum())
        #expect(
            ProgramIdentity.fingerprint([[1], [2]]) != ProgramIdentity.fingerprint([[2], [1]]))
    }

    @Test func `L3: a crash is reported once, and only for the scene that crashed`() throws {
        let disk = SimulatedDisk()
        let first = launchGuard("a", on: disk)
        for number in 1...30 {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            first.beginLaunch(
                of: scene, reason: "restore", stage: "launch-begin", identity: Self.identity)
            first.recordLaunch(scene, identity: Self.identity)
        }
        let line = "a\tsignal 4\t9000\tturn-begin\torg.example\t17\n"
        try #require(try disk.root.openForAppending("stamp")).write(Array(line.utf8))
        let second = launchGuard("b", on: disk)
        #expect(second.consumeCrashes(of: "org.other").isEmpty)
        let deaths = second.consumeCrashes(of: "org.example")
        #expect(deaths.map(\.scene) == ["17"])
        #expect(deaths.map(\.crashDescription) == ["signal 4 (SIGILL) at the stage turn-begin"])
        #expect(second.consumeCrashes(of: "org.example").isEmpty)
        // The next process ended in a different way.
        #expect(launchGuard("c", on: disk).consumeCrashes(of: "org.example").isEmpty)
    }

    @Test func `a launch event that cannot be written is reported, but a problem event is not`()
        throws
    {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        begin(launches)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        let problem = LaunchEvent.problem(
            application: "org.example", problem: RecordedProblem(sentence: "it failed", time: 1))
        launches.record(problem)
        #expect(launches.consumeProblems() == [])
        launches.record([problem, .closed(scene: Self.scene)])
        #expect(launches.consumeProblems().count == 1)
    }

    @Test func `the stamp file is emptied, not replaced`() throws {
        let disk = SimulatedDisk()
        try crash("a", on: disk)
        let before = try #require(try disk.root.status(of: "stamp"))
        #expect(before.size > 0)
        #expect(launchGuard("b", on: disk).consumeProblems() == [])
        let after = try #require(try disk.root.status(of: "stamp"))
        #expect(after.isSameFile(as: before))
        #expect(after.size == 0)
    }

    @Test func `the boot identifier is the line that the kernel provides`() throws {
        let directory = try Directory.open("/proc/sys/kernel/random")
        let bytes = try directory?.read("boot_id", limit: 64) ?? []
        let boot = LaunchEnvironment.current().bootID
        #expect(bytes.starts(with: boot.utf8))
        #expect(boot.utf8.count == max(0, bytes.count - 1))
    }

    @Test func `only durable events are synchronized`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        for isDurable in [false, true, false, true, false] {
            disk.inject(nil)
            launches.record(.closed(scene: Self.scene), durably: isDurable)
            #expect(disk.log.contains(.write))
            #expect(disk.log.contains(.synchronize) == isDurable)
        }
    }

    @Test func `the first event makes the name of its file durable`() throws {
        for code in [0, EIO] {
            let disk = SimulatedDisk()
            let launches = launchGuard("a", on: disk)
            begin(launches)
            disk.inject(
                SimulatedDisk.Fault(operation: 1, code: code, kinds: [.synchronizeDirectory]))
            if code == 0 { disk.inject(nil) }
            launches.record(.closed(scene: Self.scene), durably: true)
            disk.inject(nil)
            let found = launchGuard("b", on: disk.copy(afterPowerCut: true))
            #expect(disk.copy(afterPowerCut: true).file("launches") != nil)
            #expect(found.launches(of: Self.scene)?.identity == Self.identity)
            #expect(launches.consumeProblems() == [])
        }
    }

    @Test(arguments: [DiskOperation.Kind.create, .write])
    func `a ledger that cannot be created turns the guard off`(kind: DiskOperation.Kind) throws {
        let disk = SimulatedDisk()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [kind]))
        let launches = launchGuard("a", on: disk)
        begin(launches)
        guard case .eventsNotStored(let error) = launches.consumeProblems().first else {
            Issue.record("nothing is wrong")
            return
        }
        #expect(error.code == ENOSPC)
        #expect(disk.file("stamp") == nil, "the guard is off")
    }
}
