import LinuxIO
import Testing

@testable import SavedState

/// Tests of the scenes to which the end of a process is attributed.
@Suite struct LaunchLedgerProcessEndTests {
    private static let main = SceneKey(application: "org.example", scene: "main")
    private static let other = SceneKey(application: "org.example", scene: "other")
    private static let identity = ProgramIdentity(rawValue: "a")

    /// Returns the ledger of a process that launched scenes at the time 1000 and then began to launch another scene.
    private func ledger(
        launched scenes: [SceneKey] = [], launching scene: SceneKey? = nil, boot: String = "boot"
    ) -> LaunchLedger {
        var ledger = LaunchLedger(processID: "1")
        for scene in scenes {
            ledger.apply(.launched(scene: scene, identity: Self.identity, time: 1000))
        }
        if let scene {
            let launch = LaunchInProgress(
                boot: boot, scene: scene, attempt: 1, reason: "restore", stage: "launch-begin",
                identity: Self.identity)
            ledger.apply(.launching(launch: launch))
        }
        return ledger
    }

    /// Returns the stamp of a crash at the time 1500.
    private func stamp(in scene: SceneKey? = nil, at stage: String = "") -> CrashRecorder.Line {
        CrashRecorder.Line(
            processID: "1", end: .signal(4), bootTimeMilliseconds: 1500,
            context: scene.map { (stage, $0.subject) })
    }

    @Test(
        arguments: [
            ("a", "a", "the process was killed"), ("a", "b", "the machine went down"),
            ("", "b", "the process was killed"), ("a", "", "the process was killed"),
            ("", "", "the process was killed"),
        ])
    func `L2: a machine counts as restarted only if both boots are known and differ`(
        before: String, now: String, end: String
    ) {
        var ledger = ledger(launching: Self.main, boot: before)
        ledger.recordProcessEnd([], bootID: now)
        #expect(ledger.scenes[Self.main]?.kills == 1)
        #expect(ledger.scenes[Self.main]?.lastEnd == "\(end) at the stage launch-begin")
    }

    @Test func `L2: a crash in a launched scene does not count against the scene being launched`() {
        var ledger = ledger(launched: [Self.other], launching: Self.main)
        ledger.recordProcessEnd([stamp(in: Self.other, at: "launch-found")], bootID: "boot")
        #expect(ledger.scenes[Self.other]?.deaths == 1)
        #expect(ledger.scenes[Self.other]?.crashes == 0)
        #expect(ledger.scenes[Self.main]?.crashAndKillCount == 0)
    }

    @Test(arguments: [("launch-found", 1), ("pass-begin", 0)])
    func `L2: a crash counts against a launch only at one of the launch's stages`(
        stage: String, crashes: Int
    ) {
        var ledger = ledger(launching: Self.main)
        ledger.recordProcessEnd([stamp(in: Self.main, at: stage)], bootID: "boot")
        #expect(ledger.scenes[Self.main]?.crashes == crashes)
        #expect(ledger.scenes[Self.main]?.crashAndKillCount == crashes)
    }

    @Test func `L3: a crash without a context counts only against the only launched scene`() {
        var one = ledger(launched: [Self.main])
        one.recordProcessEnd([stamp()], bootID: "boot")
        #expect(one.scenes[Self.main]?.deaths == 1)
        var two = ledger(launched: [Self.main, Self.other])
        two.recordProcessEnd([stamp()], bootID: "boot")
        #expect(two.scenes.map(\.value.deaths) == [0, 0])
    }

    @Test(
        arguments: [
            ("main", true), ("a b", true), ("ö", true), ("a@", true), ("", true),
            (String(repeating: "x", count: 255), true),
            (String(repeating: "x", count: 256), false), ("a\u{7F}b", false), ("a\u{1F}b", false),
            ("a\nb", false), ("@a", false),
        ])
    func `a scene name that is unsuitable for a stamp is replaced by a checksum`(
        name: String, isPlain: Bool
    ) {
        let subject = SceneKey(application: "org.example", scene: name).subject
        #expect((subject == "org.example\t\(name)") == isPlain)
        #expect(subject.hasPrefix("org.example\t@") != isPlain)
    }

    @Test func `a scene whose name looks like a checksum has its own subject`() {
        let replaced = SceneKey(application: "org.example", scene: "a\nb")
        let name = String(replaced.subject.dropFirst("org.example\t".count))
        let other = SceneKey(application: "org.example", scene: name)
        #expect(other.subject != replaced.subject)
    }
}
