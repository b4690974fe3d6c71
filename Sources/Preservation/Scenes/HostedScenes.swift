import SavedState
import StateRecords
import StateRestoration

/// The scenes of an application from its launch to its end, with what they share.
final class HostedScenes {
    /// The state of each scene.
    var table = SceneTable()
    /// Definition that the scenes are made from.
    var definition: ApplicationDefinition {
        didSet { storyboards = nil }
    }
    /// The storyboards of the definition, once a scene was launched from them.
    private var storyboards: (any StoryboardFinding)?
    /// How large values may be (P9).
    var limits: ValueLimits {
        didSet { for scene in table.live { scene.scene.limits = limits } }
    }
    let archive: ApplicationArchive
    /// The names and numbers that the scenes' records share.
    let names: NameTable
    let numbering: RecordNumbering
    private let classes: ClassRegistry
    private let model: (any ApplicationModel)?
    /// The values of the first configured scene.
    private let values: [ValueDeclaration]
    private let reason: LaunchReason
    /// What the reports of the next launches tell of state that they are not given (L4, L5).
    var losses: [RestorationIdentifier: StateLoss] = [:]
    /// The scenes for which the next turn has something to do, in the order in which that came up:
    /// a pass, because something is marked or a command ran, or tasks to start. A turn for commands
    /// looks at no other scene.
    private(set) var due: [HostedScene] = []
    /// The records of the scenes that were in use and are launched while the application runs, the
    /// one that was used last at the end.
    private var later: [UInt32] = []
    /// Whether code of the application has run of which the scenes were not told.
    private var hasCodeRun = false
    /// Whether every object of every scene was looked at since the scenes were told of code that ran.
    private var isRechecked = true

    /// - Parameters:
    ///   - archive: loaded.
    ///   - reason: why saved scenes are launched that were in use.
    ///   - limits: how large values may be (P9).
    ///   - isEager: see ``waitForThoseInUse(isEager:)``.
    init(
        definition: ApplicationDefinition, archive: ApplicationArchive, classes: ClassRegistry,
        model: (any ApplicationModel)?, values: [ValueDeclaration] = [], reason: LaunchReason,
        limits: ValueLimits = ValueLimits(), isEager: Bool = true
    ) {
        self.definition = definition
        self.archive = archive
        self.classes = classes
        self.model = model
        self.values = values
        self.reason = reason
        self.limits = limits
        names = NameTable(archive.names)
        numbering = RecordNumbering(after: archive.highestObjectNumber)
        waitForThoseInUse(isEager: isEager)
    }

    // MARK: Launching

    /// The scenes wait for their launch that were in use, and the configured ones that were never
    /// saved (S3).
    ///
    /// - Parameter isEager: whether all of them do. Otherwise those that are not configured come
    ///   later, see ``takeLater()``; but one is launched in any case, if there is one.
    func waitForThoseInUse(isEager: Bool) {
        var waiting = definition.scenes.filter { record(of: $0).map(isInUse) ?? true }
        let configured = Set(definition.scenes.compactMap { record(of: $0)?.header.number })
        let mayBeClosed = ReservedState.mayBeClosed(names: names)
        let others = archive.sceneNumbers.filter {
            !configured.contains($0) && (!mayBeClosed || archive.object($0).map(isInUse) == true)
        }
        later = []
        table.beginLaunch(of: [])
        if isEager {
            waiting += others.compactMap { archive.object($0)?.name }
        } else {
            let uses = others.reversed().map { (number: $0, time: lastUse(of: $0)) }
            later = uses.sorted { $0.time < $1.time }.map(\.number)
            if waiting.isEmpty, let last = takeLater() { waiting = [last] }
        }
        table.beginLaunch(of: waiting)
    }

    /// Takes out the next of the scenes that were in use and that nobody has asked for since; nil:
    /// there is none any more.
    func takeLater() -> RestorationIdentifier? {
        while let number = later.popLast() {
            if let name = name(ofLater: number) { return name }
        }
        return nil
    }

    private func isKept(_ alias: any StateRestoring) -> Bool {
        alias.restoration.record.isUnrestored
            || (alias as? CollectionObject)?.keepUnrestored() == true
    }

    /// Whether the commands of a turn run, whose pass saves what they change.
    var areCommandsRunning = false

    /// Whether scenes that were in use are to be launched while the application runs.
    var hasLater: Bool { !later.isEmpty }

    /// Whether every scene that was in use is launched, or could not be.
    var isLaunchOver: Bool { !hasLater && !table.isLaunching }

    /// The names of all scenes that wait for their launch, now or later.
    var namesToLaunch: [RestorationIdentifier] {
        table.waiting + later.reversed().compactMap(name)
    }

    /// The name of a scene that is to be launched later, unless it was asked for, closed or replaced
    /// since.
    private func name(ofLater number: UInt32) -> RestorationIdentifier? {
        guard let name = archive.object(number)?.name, isToLaunch(name),
            record(of: name)?.header.number == number
        else { return nil }
        return name
    }

    /// Whether a scene was in use, and nobody has asked for it since.
    func isToLaunch(_ name: RestorationIdentifier) -> Bool {
        table[name] == nil && record(of: name).map(isInUse) == true
    }

    private func isInUse(_ record: ObjectRecord) -> Bool {
        SavedScene(RecordList([record]), timestamp: 0).isInUse(names: names)
    }

    private func lastUse(of scene: UInt32) -> Int64 { archive.pass(ofScene: scene)?.timestamp ?? 0 }

    /// How a scene is launched.
    struct Launch {
        var name: RestorationIdentifier
        /// Why (R2).
        var reason: LaunchReason
        /// Definition that it is made from.
        var definition: ApplicationDefinition
        /// Whether it counts among the launches that a record is offered to (R16).
        var isCounted = true
        /// Whether it is no good without what is saved of it: a delegate that refuses that fails
        /// it.
        var needsState = false
        /// Whether another program launched it well last, or this one with other storyboards.
        var isOfOtherProgram = false
    }

    /// Launches a scene, with what is saved of it (R1).
    ///
    /// - Parameter host: takes a scene in before its first callback.
    /// - Returns: why what is saved has to be kept as a generation; nil if it does not.
    /// - Throws: what its factory or its delegate threw.
    func launch(
        _ launch: Launch, host: (Scene) -> HostedScene
    ) throws -> GenerationReason? {
        let saved = record(of: launch.name).flatMap { archive.savedScene($0.header.number) }
        let storyboards = try storyboards(of: launch.definition)
        let delegate = try launch.definition.makeDelegate(
            SceneContext(
                name: launch.name, classes: classes, storyboards: storyboards, model: model))
        let records = SceneRecords(names: names, numbering: numbering)
        records.savedValues = { [archive] in archive.savedValues(of: $0) }
        let scene = host(
            Scene(
                name: launch.name, launchReason: launch.reason, delegate: delegate,
                classes: classes, records: records, limits: limits))
        do {
            let values = launch.name == launch.definition.scenes.first ? values : []
            let registered = try values.map { try $0.register(with: scene.scene) }
            // Those of aliases go when the launch is over, and so does what was saved of them, but for what
            // could not be taken back.
            defer {
                scene.values = registered.flatMap { [$0.object] + $0.aliases.filter(isKept) }
            }
            try scene.scene.launch(
                restoring: saved, storyboards: storyboards, isCounted: launch.isCounted)
            if launch.needsState, scene.scene.report.isRefused { throw RefusedState() }
            let loss =
                losses.removeValue(forKey: launch.name)
                ?? (saved == nil ? StateLoss(of: launch.name, in: archive) : nil)
            if let loss {
                scene.scene.report(
                    damaged: loss.damaged,
                    displaced: saved == nil ? loss.story : loss.earlierState)
            }
        } catch {
            scene.end()
            throw error
        }
        scene.scene.attachRoot()
        table.noteLaunching(scene)
        guard let saved else { return nil }
        return GenerationReason(
            scene.scene.report, of: launch.name,
            savedBy: saved.reservedState(names: names).stamp.bundleVersion,
            now: definition.bundleVersion, isOfOtherProgram: launch.isOfOtherProgram)
    }

    /// The storyboards that the scenes of a definition share.
    private func storyboards(
        of definition: ApplicationDefinition
    ) throws -> (any StoryboardFinding)? {
        let isOurs = definition.resourceFingerprint == self.definition.resourceFingerprint
        if isOurs, let storyboards { return storyboards }
        let made = try definition.makeStoryboards?(classes)
        if isOurs { storyboards = made }
        return made
    }

    /// The reason for which a scene is launched, as far as the archive and its life tell (R2).
    func launchReason(of name: RestorationIdentifier) -> LaunchReason {
        guard let record = record(of: name) else { return .pristine }
        // A scene that was closed did not crash, whatever became of its application.
        if table.hasEnded(name) { return .restore }
        return record.reservedState(names: names).isInUse ? reason : .restore
    }

    // MARK: Turns

    /// The next turn has something to do for a scene.
    func noteDue(_ scene: HostedScene) {
        scene.isUsed = true
        if scene.isDue { return }
        scene.isDue = true
        due.append(scene)
    }

    /// Code of the application has run, which may have changed any of its scenes: they share what
    /// it knows (P20).
    func noteCodeRan() { hasCodeRun = true }

    /// The scenes that a turn makes passes over.
    func scenes(for reason: TurnReason) -> [HostedScene] {
        if !reason.isOfAllScenes {
            return due.filter { scene in
                guard case .launched(let launched) = state(of: scene.name) else { return false }
                return launched === scene
            }
        }
        if hasCodeRun { for scene in table.live { scene.scene.noteCodeRan() } }
        hasCodeRun = false
        return table.launched
    }

    /// A turn has made its passes over these scenes.
    ///
    /// - Parameter isUnwilling: whether a scene is not to be saved, so that nothing is made over it.
    func endTurn(
        _ reason: TurnReason, _ scenes: [HostedScene],
        except isUnwilling: (RestorationIdentifier) -> Bool
    ) {
        if reason.isOfAllScenes {
            isRechecked = scenes.allSatisfy { $0.scene.isRechecked || isUnwilling($0.name) }
        }
        due = due.filter { scene in
            scene.isDue = scene.hasWork
            return scene.isDue
        }
    }

    /// Whether something is marked that the next turn makes a pass over.
    var needsPass: Bool { due.contains { $0.scene.needsPass } }

    /// Whether a turn that looks at what is not marked, too, would find nothing to do.
    ///
    /// - Parameter isUnwilling: whether a scene is not to be saved, so that its marks stay.
    func isAtRest(except isUnwilling: (RestorationIdentifier) -> Bool) -> Bool {
        !hasCodeRun && isRechecked
            && !due.contains { $0.scene.needsPass && !isUnwilling($0.name) }
    }

    // MARK: Names

    /// State of the scene that a name stands for.
    enum State {
        case launched(HostedScene)
        case launching
        case failed(reason: String)
        case saved
        case unknown
    }

    /// State of the scene that a name stands for.
    func state(of name: RestorationIdentifier) -> State {
        if table.isExchanged(name) { return .launching }
        switch table[name] {
        case .waiting, .launching: return .launching
        case .launched(let scene): return .launched(scene)
        case .failed(let reason): return .failed(reason: reason)
        case .ended, nil: return record(of: name) == nil ? .unknown : .saved
        }
    }

    /// The scene that a command without a name goes to; nil if there is none.
    var firstName: RestorationIdentifier? {
        definition.scenes.first(where: isKnown) ?? table.launched.first?.name
            ?? archive.scenes.first?.name
    }

    /// The names of all scenes, launched or not: the configured ones first, then those of the
    /// archive in its order, then new ones.
    ///
    /// - Parameter limit: how many there are at most.
    func names(atMost limit: Int = .max) -> [RestorationIdentifier] {
        var seen: Set<RestorationIdentifier> = []
        var names: [RestorationIdentifier] = []
        func add(_ name: RestorationIdentifier) -> Bool {
            guard names.count < limit else { return false }
            if seen.insert(name).inserted, isKnown(name) { names.append(name) }
            return true
        }
        _ =
            definition.scenes.allSatisfy(add)
            && archive.scenes(atMost: limit).allSatisfy { add($0.name) }
            && table.names.allSatisfy(add)
        return names
    }

    /// Status of a scene, for operators.
    func status(of name: RestorationIdentifier) -> SceneStatus {
        switch state(of: name) {
        case .launched(let scene): scene.status
        case .launching:
            table.launching.flatMap { $0.name == name ? $0.status : nil }
                ?? SceneStatus(name: name, phase: .restoring)
        case .failed(let reason): SceneStatus(name: name, phase: .failed(reason: reason))
        case .saved where isToLaunch(name): SceneStatus(name: name, phase: .restoring)
        case .saved, .unknown: SceneStatus(name: name, phase: .saved)
        }
    }

    /// Whether a name stands for a scene, launched or not.
    func isKnown(_ name: RestorationIdentifier) -> Bool {
        if case .unknown = state(of: name) { false } else { true }
    }

    // MARK: What is saved

    /// The record of a scene.
    func record(of name: RestorationIdentifier) -> ObjectRecord? { archive.scene(named: name.text) }
}

/// The delegate of a scene that was launched for another state did not want that state.
struct RefusedState: Error, CustomStringConvertible {
    var description: String { "the application refused the state" }
}
