import CoreMetrics
import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Durability levels that a saver reports, and the metrics of its syncs.
@Suite struct StateSaverDurabilityTests {
    /// Returns an archive on a simulated disk.
    private func makeArchive() throws -> ApplicationArchive {
        let archive = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        return archive
    }

    private func turn(_ number: UInt32, below parent: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: number, parent: parent, kind: 0, identifier: "main"), values: [])
        turn.endPass(PassEnd(scene: 0, timestamp: 1))
        return turn
    }

    @Test func `replicated state becomes durable on this host only with the next sync`() throws {
        let archive = try makeArchive()
        let saver = StateSaver(for: archive)
        saver.write(turn(1, below: 0))
        #expect(saver.consumeDurabilityChange().becameDurable)
        let replica = ManualReplica()
        archive.setReplica(to: replica)
        saver.write(turn(2, below: 1))
        replica.replicateAll()
        #expect(saver.durabilityLevel == .replicated)
        #expect(
            saver.consumeDurabilityChange() == StateSaver.DurabilityChange(hasLevelChanged: true))
        try archive.synchronize()
        #expect(
            saver.consumeDurabilityChange() == StateSaver.DurabilityChange(becameDurable: true))
    }

    @Test func `the duration of a sync is recorded only if it made something durable`() throws {
        let archive = try makeArchive()
        let syncs = SyncCounter()
        let log = ApplicationLog(
            LogRecorder().logger(), bundleIdentifier: "a", usesJournalFields: true, now: { 0 },
            metrics: ApplicationMetrics(syncs, bundleIdentifier: "a", launchReasons: []),
            tracing: ApplicationTracing(nil, bundleIdentifier: "a"))
        let saver = StateSaver(
            archive: archive, log: log,
            generations: GenerationWriter(archive, log: log, settings: PreservationSettings()),
            documents: nil)
        saver.write(turn(1, below: 0))
        #expect(saver.durabilityLevel == .durable)
        #expect(saver.writeDurably(TurnRecords()))
        #expect(syncs.count == 0)
        #expect(saver.writeDurably(turn(2, below: 1)))
        #expect(syncs.count == 1)
    }

    /// Delegate of a scene that has a snapshot.
    private final class Drawing: RestorationDelegate {
        func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
            true
        }

        func snapshot(of scene: Scene) -> String? { "drawn" }
    }

    @Test(arguments: [false, true])
    func `P18: a requested pass after a command is a full pass with a snapshot`(
        detectsMissedInvalidations: Bool
    ) throws {
        let saver = StateSaver(for: try makeArchive())
        saver.detectsMissedInvalidations = detectsMissedInvalidations
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: Drawing(), classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        saver.save([scene], .demand) {
            PassMetadata(bundleVersion: "1", timestamp: 1, systemVersion: "")
        }
        let contents = try #require(saver.archive.contents)
        let saved = try #require(contents.savedScenes.first).saved
        #expect(saved.reservedState(names: NameTable(contents.names)).snapshot?.text == "drawn")
    }
}

/// Metrics that count the recorded durations of syncs.
private final class SyncCounter: MetricsFactory {
    private final class SyncTimer: TimerHandler {
        let count = Atomic(0)

        func recordNanoseconds(_ duration: Int64) { count.add(1, ordering: .relaxed) }
    }

    private let timer = SyncTimer()

    /// Number of recorded durations.
    var count: Int { timer.count.load(ordering: .relaxed) }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { timer }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
