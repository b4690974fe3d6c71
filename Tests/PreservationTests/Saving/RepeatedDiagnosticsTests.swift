import Logging
import SavedState
import SimulatedDisk
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Problems that passes find, and the log entries of passes.
@Suite struct RepeatedDiagnosticsTests {
    private struct Refusal: Error {}

    /// Object that cannot be saved.
    private final class Unsavable: StateRestoring {
        let restoration = RestorationNode()

        init(_ name: String) {
            restoration.identifier = RestorationIdentifier(recorded: name)
        }

        func encodeRestorableState(with coder: StateEncoder) throws { throw Refusal() }
    }

    /// Delegate of a scene with objects that cannot be saved.
    private final class UnsavableTree: RestorationDelegate, StateRestoring {
        let restoration = RestorationNode()
        private var objects: [Unsavable]

        init(_ count: Int) {
            objects = (0..<count).map { Unsavable("object\($0)") }
            restoration.identifier = "root"
        }

        var restorationRoot: (any StateRestoring)? { self }

        /// Replaces each object with another object that has the same path.
        func replaceObjects() {
            objects = objects.indices.map { Unsavable("object\($0)") }
            restoration.invalidateStructure()
        }

        func application(_ scene: Scene, shouldSaveApplicationState coder: StateEncoder) -> Bool {
            true
        }

        func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
            for object in objects { body(object) }
        }
    }

    /// Returns a saver, its log, and a scene with objects that cannot be saved.
    private func make(
        objectCount: Int
    ) throws -> (saver: StateSaver, log: LogRecorder, scene: Scene) {
        let archive = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
            .archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let log = LogRecorder()
        let scene = Scene(
            name: "main", launchReason: .pristine, delegate: UnsavableTree(objectCount),
            classes: ClassRegistry(),
            records: SceneRecords(names: NameTable(), numbering: RecordNumberGenerator()))
        try scene.launch(restoring: nil)
        return (StateSaver(for: archive, log), log, scene)
    }

    private func save(_ scene: Scene, by saver: StateSaver) {
        saver.save([scene], .demand) {
            PassMetadata(bundleVersion: "1", timestamp: 1, systemVersion: "")
        }
    }

    @Test(arguments: [(999, 999), (1_000, 1_001), (1_002, 1_001)])
    func `P9: at most 1,000 problems are logged, and then the limit`(
        objectCount: Int, entryCount: Int
    ) throws {
        let (saver, log, scene) = try make(objectCount: objectCount)
        save(scene, by: saver)
        #expect(log.count(.notPreserved) == entryCount)
    }

    @Test func `P9: a problem that recurs is logged again only after a launch`() throws {
        let (saver, log, scene) = try make(objectCount: 2)
        for _ in 0..<2 { save(scene, by: saver) }
        #expect(log.count(.notPreserved) == 2)
        saver.prepareForLaunch()
        for _ in 0..<2 { save(scene, by: saver) }
        #expect(log.count(.notPreserved) == 4)
    }

    @Test func `P21: each value is lost for the first time only once`() throws {
        let (saver, _, scene) = try make(objectCount: 3)
        for isNew in [true, false] {
            save(scene, by: saver)
            var losses: [Bool] = []
            _ = saver.receipt.omissionReason(in: "main") { outcome in
                losses = outcome.losses.map(\.isNew)
                return nil
            }
            #expect(losses == [isNew, isNew, isNew])
        }
    }

    @Test func `P21: values of an object that replaces another object count as newly lost`()
        throws
    {
        let (saver, _, scene) = try make(objectCount: 2)
        save(scene, by: saver)
        (scene.delegate as? UnsavableTree)?.replaceObjects()
        save(scene, by: saver)
        var losses: [Bool] = []
        _ = saver.receipt.omissionReason(in: "main") { outcome in
            losses = outcome.losses.map(\.isNew)
            return nil
        }
        #expect(losses == [true, true])
    }

    @Test(
        arguments: [
            (.commands, .debug), (.interval, .debug), (.history, .debug), (.demand, .info),
            (.stop, .info),
        ] as [(TurnReason, Logger.Level)])
    func `routine passes are logged at a lower level than requested passes`(
        reason: TurnReason, level: Logger.Level
    ) throws {
        let bench = try TurnBench()
        let scene = try #require(bench.scenes.table.launchedScenes.first)
        scene.scene.note.text = "changed"
        bench.scenes.markDue(scene)
        bench.executor.save(bench.scenes, reason)
        let entry = bench.log.entries.last { entry in
            entry.metadata["MESSAGE_ID"] == LogEvent.passFinished.rawValue
        }
        #expect(entry?.level == level)
    }
}
