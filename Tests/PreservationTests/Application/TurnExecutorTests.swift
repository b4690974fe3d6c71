import Glibc
import LinuxIO
import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Turns that are run step by step, without an actor, a file or a real clock.
@Suite struct TurnExecutorTests {
    @Test func `P14: a turn writes the changes of its commands once, and then replies`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        for text in ["one", "two", "three"] { bench.write(text, received) }
        bench.disk.inject(nil)
        let turn = bench.runCommands()
        #expect(received.all.isEmpty)
        #expect(turn.handledCommands.count == 3)
        #expect(turn.commonSceneName == "main")
        bench.finish(turn)
        #expect(bench.writeCount == 1)
        #expect(received.all == ["one: written", "two: written", "three: written"])
        #expect(bench.savedText(contains: "three"))
    }

    @Test func `P14: commands beyond the time limit of a turn run in order in the next turn`()
        throws
    {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        for text in ["one", "two", "three"] { bench.write(text, received) }
        let first = bench.runCommands(elapsed: .milliseconds(11))
        bench.finish(first)
        #expect(first.handledCommands.count == 1)
        #expect(received.all == ["one: written"])
        bench.finish(bench.runCommands(elapsed: .milliseconds(10)))
        #expect(received.all == ["one: written", "two: written", "three: written"])
    }

    @Test func `P14: a turn of read-only commands has no changes`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        bench.write(nil, received)
        let turn = bench.runCommands()
        #expect(!turn.hasChanges)
        bench.write("one", received)
        #expect(bench.runCommands().hasChanges)
    }

    @Test func `P14: with commit, a reply waits for the sync that follows its write`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        bench.executor.durability = .commit
        let received = Received()
        bench.write("one", received)
        bench.finish(bench.runCommands())
        let job = try #require(bench.executor.saver.archive.beginSync())
        let result = job.run()
        bench.write("two", received)
        bench.finish(bench.runCommands())
        #expect(received.all.isEmpty)
        bench.executor.didSync((job, result), since: bench.settings.currentMoment())
        #expect(received.all == ["one: durable"])
        let next = try #require(bench.executor.saver.archive.beginSync())
        bench.executor.didSync((next, next.run()), since: bench.settings.currentMoment())
        #expect(received.all == ["one: durable", "two: durable"])
    }

    @Test func `P16: after a failed sync, the whole state is written again and becomes durable`()
        throws
    {
        let bench = try Bench()
        bench.saveLaunch()
        bench.executor.durability = .commit
        let received = Received()
        bench.write("one", received)
        bench.finish(bench.runCommands())
        let job = try #require(bench.executor.saver.archive.beginSync())
        let failure = IOError(.synchronize, path: bench.executor.saver.archive.path, code: EIO)
        bench.executor.didSync((job, .failure(failure)), since: bench.settings.currentMoment())
        #expect(received.all == ["one: durable"])
        #expect(bench.copy(afterPowerCut: true).contains("one".utf8))
    }

    @Test func `P16: if the disk stays full, the reply says that the change is not saved`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        bench.disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true))
        bench.write("one", received)
        bench.finish(bench.runCommands())
        #expect(received.all == ["one: not saved"])
        bench.disk.inject(nil)
        bench.executor.isStopped = false
        bench.executor.retrySave()
        #expect(bench.savedText(contains: "one"))
    }

    @Test func `L4: replies wait until a change by another program has been handled`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        bench.executor.externalChange.didDetectChange(isFailureReported: false)
        bench.write("one", received)
        bench.finish(bench.runCommands())
        bench.executor.sendDeferredReplies()
        #expect(received.all.isEmpty)
        bench.executor.externalChange.endWaiting()
        bench.executor.sendDeferredReplies()
        #expect(received.all == ["one: written"])
        bench.executor.externalChange.didDetectChange(isFailureReported: false)
        bench.write("two", received)
        bench.finish(bench.runCommands())
        bench.executor.sendUnsavedReplies(because: "another program removed it")
        #expect(received.all == ["one: written", "two: not saved"])
    }

    @Test func `with replicated, a reply waits for the replica or the timeout`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        let replica = CountingReplica()
        bench.executor.durability = .replicated
        bench.executor.saver.archive.setReplica(to: replica)
        bench.executor.replica = replica
        let received = Received()
        bench.write("one", received)
        bench.finish(bench.runCommands())
        bench.executor.sendReplicatedReplies()
        #expect(received.all.isEmpty)
        let newest = try #require(bench.executor.newestAwaitedRecordNumber)
        replica.replicateAll()
        bench.executor.sendReplicatedReplies()
        #expect(received.all == ["one: replicated"])
        #expect(bench.executor.newestAwaitedRecordNumber == nil)
        bench.write("two", received)
        bench.finish(bench.runCommands())
        bench.executor.sendUnreplicatedReplies(upTo: newest, because: "no answer")
        #expect(received.all.count == 1)
        bench.executor.sendUnreplicatedReplies(because: "no answer")
        #expect(received.all == ["one: replicated", "two: not saved"])
    }

    @Test(arguments: [false, true])
    func `S3: a scene is closed after its last pass, unless the pass cannot be saved`(isFull: Bool)
        throws
    {
        let bench = try Bench()
        bench.saveLaunch()
        let received = Received()
        if isFull {
            bench.disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, isPermanent: true))
        }
        bench.close(received)
        // A command after the close belongs to the next turn.
        bench.write("late", received)
        let turn = bench.runCommands()
        #expect(turn.handledCommands.count == 1)
        bench.finish(turn)
        #expect(received.all == [isFull ? "refused" : "closed: written"])
        #expect(bench.hosted.table.launchedScenes.isEmpty == !isFull)
        #expect(bench.notes.record.terminated == (isFull ? [] : ["main"]))
        if isFull { #expect(bench.hosted.table.launchedScenes.first?.scene.isInUse == true) }
    }

    @Test func `when the application stops, every waiting reply is sent`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        bench.executor.durability = .commit
        let received = Received()
        bench.write("one", received)
        bench.finish(bench.runCommands())
        bench.executor.externalChange.didDetectChange(isFailureReported: false)
        bench.write("two", received)
        bench.finish(bench.runCommands())
        bench.executor.sendAllReplies()
        #expect(Set(received.all) == ["one: written", "two: written"])
    }

    // MARK: Changes by other programs

    @Test func `L4: an archive counts as removed only if a second check does not find it`() throws {
        let bench = try Bench()
        bench.saveLaunch()
        #expect(bench.executor.checkArchive() == .unchanged)
        #expect(try bench.applicationDirectory().remove("data.archive"))
        #expect(bench.executor.checkArchive() == .unchanged)
        let number = try #require(bench.executor.externalChange.pendingChangeNumber)
        let isCheckDue = bench.executor.externalChange.debounceDidElapse(for: number)
        #expect(isCheckDue)
        #expect(bench.executor.checkArchive() == .removed)
        let description = try #require(bench.executor.removeState(of: bench.hosted))
        #expect(description.contains("the live state is in the history as"))
        #expect(bench.hosted.table.launchedScenes.isEmpty)
        #expect(bench.executor.saver.isStateRemoved)
        #expect(try bench.applicationDirectory().names().contains("history"))
    }

    @Test func `L8: an archive that replaces another is quarantined if it cannot be restored`()
        throws
    {
        let bench = try Bench()
        bench.saveLaunch()
        let earlierBytes = bench.copy(afterPowerCut: false)
        bench.write("one", Received())
        bench.finish(bench.runCommands())
        _ = try bench.applicationDirectory().replace(
            "data.archive", with: earlierBytes, temporaryName: "copy")
        guard case .replaced(let replacement)? = bench.executor.checkArchive() else {
            Issue.record("the replacement was not found")
            return
        }
        bench.executor.didAdopt(
            replacement, .failure(StateChangeFailure(cause: .damaged, reason: "a test refuses it")))
        #expect(try bench.applicationDirectory().names().contains("quarantine"))
        #expect(bench.savedText(contains: "one"))
        #expect(bench.executor.checkArchive() == .unchanged)
    }
}

/// Replies that a test has received.
private final class Received: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func append(_ text: String) { texts.withLock { $0.append(text) } }
}

/// Replica that stores received state only when a test requests it.
private final class CountingReplica: StateReplica {
    private let content = Mutex(ReplicaProgress())

    var progress: ReplicaProgress { content.withLock { $0 } }

    func setLineage(_ lineage: Lineage) {}
    func append(_ records: RecordList, turn: UInt64) { content.withLock { $0.acceptedCount += 1 } }
    func replace(with records: RecordList, turn: UInt64) {
        content.withLock { $0.acceptedCount += 1 }
    }
    func replaceDocument(_ name: String, with bytes: [UInt8]) {}
    func replicateAll() { content.withLock { $0.replicatedCount = $0.acceptedCount } }
}

/// A turn executor on a simulated disk, with one launched scene.
private struct Bench {
    let disk = SimulatedDisk()
    let notes = Notes()
    let settings = PreservationSettings()
    let commandInbox = CommandInbox(bundleIdentifier: Notes.bundleIdentifier)
    let executor: TurnExecutor
    let hosted: HostedScenes

    init() throws {
        let directory = try StateDirectory(locked: disk.root, pid: 1)
        let archive = try directory.archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let saver = StateSaver(for: archive)
        let launchSequence = LaunchSequence(
            definition: notes.definition(), crashLimit: 1, launchGuard: directory.launchGuard,
            saver: saver, commandInbox: commandInbox)
        executor = TurnExecutor(
            commandInbox: commandInbox, saver: saver, launchSequence: launchSequence,
            wakeUps: WakeUps(),
            settings: settings)
        executor.isStopped = false
        hosted = HostedScenes(
            definition: notes.definition(), archive: archive, classes: ClassRegistry(), model: nil,
            reason: .pristine)
        while launchSequence.launchUntilNextStep(of: hosted) != nil {}
        hosted.markDue(try #require(hosted.table.launchedScenes.first))
        commandInbox.refusalError = nil
    }

    /// Saves what the launch created, as the first turn does.
    func saveLaunch() { executor.save(hosted, .launch) }

    /// Queues a command that changes the text of the note, or a read-only command.
    func write(_ text: String?, _ received: Received) {
        _ = commandInbox.append(
            SceneCommand(
                kind: .perform { scene in
                    if let text { (scene.delegate as? NotesDelegate)?.note?.text = text }
                    return TurnReply { received.append("\(text ?? "read"): \($0.word)") }
                }, isReadOnly: text == nil, refuse: { _ in received.append("refused") }))
    }

    /// Queues a command that closes the scene.
    func close(_ received: Received) {
        _ = commandInbox.append(
            SceneCommand(
                kind: .close { received.append("closed: \($0.word)") }, sceneName: "main",
                refuse: { _ in received.append("refused") }))
    }

    func runCommands(elapsed: Duration = .zero) -> CommandTurn {
        executor.runCommands(on: hosted) { elapsed }
    }

    /// Saves the changes of a turn, and replies.
    func finish(_ turn: CommandTurn) {
        for scene in hosted.table.launchedScenes { hosted.markDue(scene) }
        let receipt = executor.save(hosted, .commands, closing: turn.pendingClose?.scene)
        executor.reply(to: turn, receipt)
    }

    /// Opens the directory that contains the archive.
    func applicationDirectory() throws -> SimulatedDirectory {
        var directory = disk.root
        for name in executor.saver.archive.path.split(separator: "/").dropFirst().dropLast() {
            directory = try #require(try directory.openSubdirectory(String(name)))
        }
        return directory
    }

    /// Number of writes to files since the last fault was set.
    var writeCount: Int { disk.log.count { $0 == .write } }

    func savedText(contains text: String) -> Bool { copy(afterPowerCut: false).contains(text.utf8) }

    /// Returns the bytes of the archive after a crash.
    func copy(afterPowerCut: Bool) -> [UInt8] {
        let archive = executor.saver.archive.path.dropFirst("/state/".utf8.count)
        return disk.copy(afterPowerCut: afterPowerCut).file(String(archive)) ?? []
    }
}

extension DurabilityLevel {
    /// The durability level as a word.
    fileprivate var word: String {
        switch self {
        case .notSaved: "not saved"
        case .written: "written"
        case .durable: "durable"
        case .replicated: "replicated"
        }
    }
}
