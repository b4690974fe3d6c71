import SavedState
import StateRestoration

/// The scenes of an application from its launch to its end, with what they share.
///
/// They are launched one at a time: the next only after the one before has completed, which takes
/// long if its restoration is extended (R13).
final class HostedScenes {
    /// The scenes that are launched, in the order in which they were.
    var scenes: [HostedScene] = []
    /// The scene whose launch waits for its restoration to complete (R13).
    var restoring: HostedScene?
    /// The scenes that are still to be launched.
    var waiting: [RestorationIdentifier] = []
    /// The scenes that are giving way to others; nil: none are.
    var exchange: SceneExchange?
    /// Why scenes could not be launched.
    private(set) var failures: [RestorationIdentifier: String] = [:]

    /// What the scenes are made of.
    var definition: ApplicationDefinition
    let archive: ApplicationArchive
    private let classes: ClassRegistry
    private let model: (any ApplicationModel)?
    private let reason: LaunchReason
    /// How large values may be (P9).
    var limits: ValueLimits {
        didSet { for scene in live { scene.scene.limits = limits } }
    }
    /// The names and numbers that the scenes' records share.
    let names: NameTable
    let numbering: RecordNumbering
    /// The scenes that a person has asked for (L8).
    private var asked: Set<RestorationIdentifier> = []
    /// The scenes that the program died with, whatever the archive says.
    private var died: Set<RestorationIdentifier> = []
    /// The scenes whose saved state was replaced since they were launched last.
    private var replaced: Set<RestorationIdentifier> = []
    /// The scenes that ended in this launch of the application, and so did not crash.
    private var ended: Set<RestorationIdentifier> = []

    /// - Parameters:
    ///   - archive: loaded.
    ///   - reason: why saved scenes are launched that were in use.
    ///   - limits: how large values may be (P9).
    init(
        definition: ApplicationDefinition, archive: ApplicationArchive, classes: ClassRegistry,
        model: (any ApplicationModel)?, reason: LaunchReason, limits: ValueLimits = ValueLimits()
    ) {
        self.definition = definition
        self.archive = archive
        self.classes = classes
        self.model = model
        self.reason = reason
        self.limits = limits
        names = NameTable(archive.names)
        numbering = RecordNumbering(after: archive.highestObjectNumber)
        waitForThoseInUse()
    }

    /// The scenes wait for their launch that were in use, and the configured ones that were never saved
    /// (S3).
    func waitForThoseInUse() {
        let saved = archive.scenes.map { ($0.name, $0.reservedState(names: names)) }
        let inUse = saved.filter(\.1.isInUse).map(\.0)
        waiting = definition.scenes.filter { name in
            inUse.contains(name) || !saved.contains { $0.0 == name }
        }
        waiting += inUse.filter { !definition.scenes.contains($0) }
    }

    /// Whatever runs callbacks: the launched scenes, the one in restoration, and those that are being
    /// exchanged.
    var live: [HostedScene] {
        var live = scenes
        if let restoring { live.append(restoring) }
        if let exchange { live += exchange.old + exchange.ready }
        return live
    }

    // MARK: Launching

    /// A scene waits for its launch.
    func wait(for name: RestorationIdentifier) {
        failures[name] = nil
        waiting.append(name)
    }

    /// A person asks for a scene, or for all of them, whatever speaks against its launch.
    func askFor(_ name: RestorationIdentifier? = nil) {
        if let name { asked.insert(name) } else { asked.formUnion(waiting) }
    }

    /// Whether a person has asked for a scene since this was last looked at.
    func takeAsked(_ name: RestorationIdentifier) -> Bool { asked.remove(name) != nil }

    /// Whether a scene can be launched now.
    var hasNext: Bool { restoring == nil && !waiting.isEmpty }

    /// The name of the scene to launch now; nil if there is none, or one is still in restoration.
    func takeNext() -> RestorationIdentifier? {
        hasNext ? waiting.removeFirst() : nil
    }

    /// Launches a scene, with what is saved of it (R1).
    ///
    /// - Parameter host: takes a scene in before its first callback.
    /// - Returns: why what is saved has to be kept as a generation; nil if it does not.
    /// - Throws: what its factory or its delegate threw.
    func launch(
        _ name: RestorationIdentifier, host: (Scene) -> HostedScene
    ) throws -> GenerationReason? {
        let record = record(of: name)
        let saved = record.map { record in
            let number = record.header.number
            return SavedScene(
                record, objects: archive.objects(ofScene: number),
                pass: archive.pass(ofScene: number))
        }
        let needsState = exchange.map { $0.names.contains(name) && $0.needsState } ?? false
        let parts = try definition(of: name).makeScene(
            SceneContext(name: name, classes: classes, model: model))
        let scene = host(
            Scene(
                name: name, launchReason: launchReason(of: record), delegate: parts.delegate,
                classes: classes, records: SceneRecords(names: names, numbering: numbering),
                limits: limits))
        do {
            try scene.scene.launch(restoring: saved, storyboards: parts.storyboards)
            if needsState, scene.scene.report.isRefused { throw RefusedState() }
        } catch {
            scene.end()
            throw error
        }
        scene.scene.attachRoot()
        restoring = scene
        guard let saved else { return nil }
        return GenerationReason(
            scene.scene.report, of: name,
            savedBy: saved.reservedState(names: names).bundleVersion,
            now: definition.bundleVersion)
    }

    /// The scene in restoration, if its launch has completed; it is launched then.
    func takeCompleted() -> HostedScene? {
        guard let completed = restoring, completed.scene.isLaunched else { return nil }
        restoring = nil
        replaced.remove(completed.name)
        if let exchange, exchange.names.contains(completed.name) {
            exchange.ready.append(completed)
        } else {
            scenes.append(completed)
        }
        return completed
    }

    /// A scene could not be launched.
    func fail(_ name: RestorationIdentifier, _ reason: String) {
        failures[name] = reason
    }

    // MARK: Ending

    /// A scene ends; what is saved of it stays.
    func end(_ scene: HostedScene) {
        scene.terminate()
        ended.insert(scene.name)
        died.remove(scene.name)
        scenes.removeAll { $0 === scene }
    }

    /// No scene is launched any more, and the one in restoration ends without being saved (P17).
    func stopLaunching() {
        waiting = []
        if let completed = restoring, completed.scene.isLaunched { return }
        restoring?.end()
        restoring = nil
    }

    /// All scenes end.
    ///
    /// - Parameter isOrderly: whether their delegates are told.
    func endAll(isOrderly: Bool = false) {
        for scene in scenes where isOrderly { scene.terminate() }
        for scene in live { scene.end() }
        exchange = nil
        scenes = []
        restoring = nil
        waiting = []
    }

    // MARK: What is saved

    func record(of name: RestorationIdentifier) -> ObjectRecord? {
        archive.scenes.first { $0.name == name }
    }

    /// The program died while it launched a scene, or soon after.
    func noteDeath(of name: RestorationIdentifier) { died.insert(name) }

    /// Why a scene is launched (R2).
    func launchReason(of name: RestorationIdentifier) -> LaunchReason {
        launchReason(of: record(of: name))
    }

    /// What is saved of a scene that is about to be launched is another state than the one it was
    /// launched with or left (R2).
    func noteReplaced(_ name: RestorationIdentifier) { replaced.insert(name) }

    /// A scene that was closed did not crash, whatever became of its application (R2).
    private func launchReason(of record: ObjectRecord?) -> LaunchReason {
        guard let record else { return .pristine }
        if let exchange, exchange.names.contains(record.name) { return exchange.reason }
        if replaced.contains(record.name) { return .replace }
        if died.contains(record.name) { return .recover }
        let isInUse = record.reservedState(names: names).isInUse
        return ended.contains(record.name) || !isInUse ? .restore : reason
    }
}

extension ObjectRecord {
    /// The name of the scene whose record this is.
    var name: RestorationIdentifier { RestorationIdentifier(recorded: header.identifier) }

    /// What the library itself keeps in the scene's record.
    func reservedState(names: NameTable) -> ReservedState {
        SavedScene(self, objects: [], pass: nil).reservedState(names: names)
    }
}
