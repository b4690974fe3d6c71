import FoundationEssentials
import Glibc
import LinuxIO
import SimulatedDisk
import Testing

@testable import SavedState

/// Tests of the records of several events and scenes, and of records that cannot be written.
@Suite struct LaunchRecordsTests {
    private static let scene = SceneKey(application: "org.example", scene: "main")
    private static let identity = ProgramIdentity(
        version: "1", storyboardFingerprint: 2, executableChecksum: 3)
    private static let stop = LaunchRefusal(reason: "for the test", identity: identity)

    private func launchGuard(_ process: String, on disk: SimulatedDisk) -> LaunchGuard {
        LaunchGuard(
            in: disk.root,
            environment: LaunchEnvironment(
                bootID: "boot", processID: process, executableChecksum: 3, now: { 5000 }))
    }

    private func begin(_ launches: LaunchGuard) {
        launches.beginLaunch(
            of: Self.scene, reason: "restore", stage: "launch-begin", identity: Self.identity)
    }

    // MARK: Failures

    @Test func `after an event could not be written in any way, the next event rewrites the file`()
        throws
    {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        begin(launches)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true, kinds: [.write]))
        launches.recordLaunch(Self.scene, identity: Self.identity)
        disk.inject(nil)
        launches.record(.changed(scene: Self.scene))
        let (ledger, damage) = LaunchFiles.parse(try #require(disk.file("launches")))
        #expect(damage == nil)
        #expect(ledger.launch == nil)
        #expect(ledger.scenes[Self.scene]?.goodIdentity == Self.identity)
    }

    @Test func `a durable event whose sync fails survives a power cut`() throws {
        let disk = SimulatedDisk()
        let launches = launchGuard("a", on: disk)
        begin(launches)
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.synchronizeData]))
        launches.record(.refused(scene: Self.scene, refusal: Self.stop), durably: true)
        #expect(disk.hasFaultOccurred)
        disk.inject(nil)
        let next = launchGuard("b", on: disk.copy(afterPowerCut: true))
        #expect(next.launches(of: Self.scene)?.stopped == Self.stop)
    }

    @Test func `L2: launches are recorded even if the previous process's stamps cannot be removed`()
        throws
    {
        let disk = SimulatedDisk()
        begin(launchGuard("a", on: disk))
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: [.truncate]))
        let second = launchGuard("b", on: disk)
        begin(second)
        #expect(second.consumeProblems().count == 1)
        disk.inject(nil)
        #expect(launchGuard("c", on: disk).launches(of: Self.scene)?.kills == 2)
    }

    @Test func `the error says that a stamp file with hard links could not be removed`() throws {
        let disk = SimulatedDisk()
        disk.put([1], at: "stamp")
        disk.changeStatus { $0.linkCount = 2 }
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [.remove]))
        let files = LaunchFiles(in: disk.root, stampsIn: disk.root)
        #expect(throws: IOError(.remove, path: "/state/stamp", code: EIO)) {
            try files.truncateStampFile()
        }
        #expect(disk.file("stamp") == [1])
    }

    @Test(
        arguments: [([], false), ([0, 0], false), ([0, 0, 0x78], true), ([0x78], true)]
            as [([UInt8], Bool)])
    func `a ledger without a complete line is damaged unless it contains only zeros`(
        bytes: [UInt8], isDamaged: Bool
    ) {
        let damage = LaunchFiles.parse(bytes).damage
        #expect(damage == (isDamaged ? "it contains no complete line." : nil))
    }

    @Test func `the first ledger is not damaged if a power cut left only the start of its line`()
        throws
    {
        let disk = SimulatedDisk()
        _ = launchGuard("0123-4567", on: disk).launches(of: Self.scene)
        let line = try #require(disk.file("launches"))
        #expect(line.last == UInt8(ascii: "\n"))
        for count in 0..<line.count {
            for zeroCount in [0, 3] {
                let bytes = Array(line.prefix(count)) + [UInt8](repeating: 0, count: zeroCount)
                #expect(LaunchFiles.parse(bytes).damage == nil)
                #expect(LaunchFiles.parse(bytes + [1, 1]).damage != nil)
            }
        }
        let next = SimulatedDisk()
        next.put(Array(line.prefix(20)), at: "launches")
        let launches = launchGuard("b", on: next)
        begin(launches)
        #expect(launches.consumeProblems().isEmpty)
        #expect(next.file("launches.damaged") == nil)
        #expect(launchGuard("c", on: next).launches(of: Self.scene)?.kills == 1)
    }

    @Test func `a ledger with records is damaged if its line is incomplete`() throws {
        let disk = SimulatedDisk()
        begin(launchGuard("a", on: disk))
        _ = launchGuard("b", on: disk).launches(of: Self.scene)
        let line = try #require(disk.file("launches"))
        #expect(LaunchFiles.parse(line).damage == nil)
        #expect(LaunchFiles.parse(Array(line.dropLast())).damage != nil)
    }

    // MARK: Several events and scenes

    @Test func `a later process appends its events instead of rewriting the file`() throws {
        let disk = SimulatedDisk()
        begin(launchGuard("a", on: disk))
        let second = launchGuard("b", on: disk)
        #expect(second.launches(of: Self.scene)?.kills == 1)
        var before = try #require(disk.file("launches"))
        let stop = LaunchRefusal(
            reason: String(repeating: "x", count: 1000), identity: Self.identity)
        for _ in 1...100 {
            second.record(.refused(scene: Self.scene, refusal: stop))
            let after = try #require(disk.file("launches"))
            #expect(after.starts(with: before) && after.count > before.count + 1000)
            before = after
        }
    }

    @Test func `all events that are recorded together take effect`() {
        let launches = launchGuard("a", on: SimulatedDisk())
        let scenes = ["one", "two", "three"].map { SceneKey(application: "org.example", scene: $0) }
        launches.record(scenes.map { LaunchEvent.replaced(scene: $0, generation: $0.scene) })
        let replaced = scenes.map { launches.launches(of: $0)?.replaced }
        #expect(replaced == ["one", "two", "three"])
    }

    @Test(arguments: ["3", "17"])
    func `L3: one of many scenes in its grace period is found`(name: String) {
        let launches = launchGuard("a", on: SimulatedDisk())
        for number in 1...30 {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            launches.record(.launched(scene: scene, identity: Self.identity, time: 5000))
        }
        #expect(!launches.hasSceneInGracePeriod("org.example"))
        let scene = SceneKey(application: "org.example", scene: name)
        launches.record(.replaced(scene: scene, generation: "g"))
        #expect(launches.hasSceneInGracePeriod("org.example"))
    }

    @Test func `the next process has not launched any of the previous process's scenes`() {
        var ledger = LaunchLedger(processID: "a")
        for number in 1...5 {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            ledger.apply(.launched(scene: scene, identity: Self.identity, time: 5000))
        }
        ledger.handOver(to: "b")
        #expect(ledger.scenes.count == 5)
        #expect(ledger.scenes.values.allSatisfy { $0.launchedAt == nil })
    }

    @Test(arguments: [4096, 4097])
    func `at most 4096 records of scenes without problems are handed over and decoded`(
        count: Int
    ) throws {
        var ledger = LaunchLedger(processID: "a")
        for number in 0..<count {
            let scene = SceneKey(application: "org.example", scene: "\(number)")
            ledger.apply(.launched(scene: scene, identity: Self.identity, time: 5000))
            ledger.apply(.closed(scene: scene))
        }
        #expect(ledger.scenes.count == count)
        let bytes = try JSONEncoder().encode(ledger)
        #expect(try JSONDecoder().decode(LaunchLedger.self, from: bytes).scenes.count == 4096)
        ledger.handOver(to: "b")
        #expect(ledger.scenes.count == 4096)
    }
}
