import SavedState
import SimulatedDisk
import StateRecords
import StateRestoration
import Synchronization
import TestSupport
import Testing

@testable import Preservation

/// Turn executor on a simulated disk, with launched scenes whose turns a test runs step by step.
struct TurnBench {
    let disk = SimulatedDisk()
    let notes: Notes
    let log = LogRecorder()
    let launchSequence: LaunchSequence
    let executor: TurnExecutor
    let scenes: HostedScenes
    private let commandInbox = CommandInbox(bundleIdentifier: Notes.bundleIdentifier)
    private let received = Received()

    /// Launches scenes of notes and saves them, as the first turn does.
    init(_ notes: Notes = Notes(), scenes names: [RestorationIdentifier] = ["main"]) throws {
        try self.init(notes, notes.definition(scenes: names))
    }

    /// Launches the scenes of a definition and saves them, as the first turn does.
    init(_ notes: Notes = Notes(), _ definition: ApplicationDefinition) throws {
        self.notes = notes
        let directory = try StateDirectory(locked: disk.root, pid: 1)
        let archive = try directory.archive(of: Notes.bundleIdentifier)
        _ = try archive.load()
        let saver = StateSaver(for: archive, log)
        launchSequence = LaunchSequence(
            definition: definition, crashLimit: 1, launchGuard: directory.launchGuard,
            saver: saver, commandInbox: commandInbox)
        executor = TurnExecutor(
            commandInbox: commandInbox, saver: saver, launchSequence: launchSequence,
            wakeUps: WakeUps(), settings: PreservationSettings())
        executor.isStopped = false
        scenes = HostedScenes(
            definition: definition, archive: archive, classes: ClassRegistry(), model: nil,
            reason: .pristine)
        while launchSequence.launchUntilNextStep(of: scenes) != nil {}
        for scene in scenes.table.launchedScenes { scenes.markDue(scene) }
        commandInbox.refusalError = nil
        executor.save(scenes, .launch)
    }

    var saver: StateSaver { executor.saver }

    /// Returns the scenes of another launch, which has not begun yet.
    func makeScenes(_ reason: LaunchReason = .restore) -> HostedScenes {
        HostedScenes(
            definition: launchSequence.definition, archive: saver.archive,
            classes: ClassRegistry(), model: nil, reason: reason)
    }

    /// Replies so far: what each command did, and the durability level of its change.
    var replies: [String] { received.texts.withLock { $0 } }

    /// Queues a command.
    func perform(
        _ name: String = "change", in scene: RestorationIdentifier = "main",
        isReadOnly: Bool = false, _ body: @escaping @Sendable (Scene) -> Void = { _ in }
    ) {
        let received = received
        _ = commandInbox.append(
            SceneCommand(
                kind: .perform { scene in
                    body(scene)
                    return TurnReply { received.append("\(name): \($0)") }
                }, isReadOnly: isReadOnly, sceneName: scene,
                refuse: { _ in received.append("\(name): refused") }))
    }

    /// Queues a command that changes the note in a scene.
    func write(_ text: String, in scene: RestorationIdentifier = "main") {
        perform("write", in: scene) { $0.note.text = text }
    }

    /// Runs a turn of the waiting commands, saves the changes, and replies.
    @discardableResult
    func runTurn() -> CommandTurn {
        let turn = executor.runCommands(on: scenes) { .zero }
        executor.reply(to: turn, executor.save(scenes, .commands))
        return turn
    }

    /// Makes a replica receive everything that is saved from now on.
    func replicate(to replica: ManualReplica) {
        executor.durability = .replicated
        executor.replica = replica
        saver.archive.setReplica(to: replica)
    }

    // MARK: Files

    /// Path of the application's directory, relative to the root of the disk.
    private var directoryPath: String {
        String(
            saver.archive.path.dropFirst("\(disk.root.path)/".count).dropLast(
                "/data.archive".count))
    }

    /// Returns the bytes of a file in the application's directory, or `nil` if it does not exist.
    func bytes(of name: String = "data.archive") -> [UInt8]? {
        disk.file("\(directoryPath)/\(name)")
    }

    /// Overwrites the archive in the same file, as another program would.
    func overwriteArchive(_ bytes: [UInt8]) { disk.put(bytes, at: "\(directoryPath)/data.archive") }

    /// Opens the application's directory.
    func openDirectory() throws -> SimulatedDirectory {
        var directory = disk.root
        for name in directoryPath.split(separator: "/") {
            directory = try #require(try directory.openSubdirectory(String(name)))
        }
        return directory
    }

    /// Replies that commands have received.
    private final class Received: Sendable {
        let texts = Mutex<[String]>([])

        func append(_ text: String) { texts.withLock { $0.append(text) } }
    }
}

/// Replica that stores received state only when a test requests it.
final class ManualReplica: StateReplica {
    private struct Content {
        var progress = ReplicaProgress()
        var calls: [String] = []
        var objectCount: Int?
        var documents: [String: [UInt8]] = [:]
    }

    private let content = Mutex(Content())

    var progress: ReplicaProgress { content.withLock { $0.progress } }
    /// Kinds of the received data, in order.
    var calls: [String] { content.withLock { $0.calls } }
    /// Number of objects and scenes in the whole state that the replica last received, if any.
    var objectCount: Int? { content.withLock { $0.objectCount } }
    var documents: [String: [UInt8]] { content.withLock { $0.documents } }

    func setLineage(_ lineage: Lineage) { content.withLock { $0.calls.append("lineage") } }

    func append(_ records: RecordList, turn: UInt64) { receive("records") }

    func replace(with records: RecordList, turn: UInt64) {
        receive("state")
        content.withLock { $0.objectCount = records.objects.count }
    }

    func replaceDocument(_ name: String, with bytes: [UInt8]) {
        receive("document")
        content.withLock { $0.documents[name] = bytes }
    }

    func replicateAll() {
        content.withLock { $0.progress.replicatedCount = $0.progress.acceptedCount }
    }

    private func receive(_ kind: String) {
        content.withLock {
            $0.calls.append(kind)
            $0.progress.acceptedCount += 1
        }
    }
}
