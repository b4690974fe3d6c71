import ExactText
import FoundationEssentials
import SavedState
import StateRecords
import StateRestoration

/// Scenes of a running application, with their shared resources.
final class HostedScenes {
    /// Table that contains the state of each scene.
    var table = SceneTable()
    /// Maximum number of failed scenes in the table that are neither saved nor configured.
    static let maximumUnsavedFailures = 100
    /// Number of scenes that have been closed or have failed since such scenes were last removed from the table.
    private var endedSceneCount = 0
    /// State change in progress, with a closure that commits or undoes the change, or `nil` if no change is in
    /// progress.
    private var changeInProgress: (change: StateChange, finish: ChangeCompletion)?
    /// Definition from which scenes are created.
    var definition: ApplicationDefinition {
        didSet { storyboards = nil }
    }
    /// The definition's storyboards, or `nil` if no scene has been launched from them yet.
    private var storyboards: (any StoryboardInstantiating)?
    /// Maximum sizes of values (P9).
    var limits: ValueLimits {
        didSet { for scene in table.liveScenes { scene.scene.limits = limits } }
    }
    let archive: ApplicationArchive
    /// Name table that the records of all scenes share.
    let names: NameTable
    let numbering: RecordNumberGenerator
    private let classes: ClassRegistry
    private let model: (any ApplicationModel)?
    /// Whether a launch continues without values that it could not restore.
    private let toleratesUnrestoredValues: Bool
    /// Declared values, which belong to the first configured scene.
    private let valueDeclarations: [ValueDeclaration]
    /// Whether the elements of any declared collection can expire.
    private let hasExpiringElements: Bool
    private let reason: LaunchReason
    /// Losses of saved state, keyed by scene name. The report of a scene's next launch describes the loss (L4, L5).
    var losses: [RestorationIdentifier: StateLoss] = [:]
    /// Scenes for which the next turn has work to do, in the order they became due.
    ///
    /// A scene is due if it needs a pass, because an object has been invalidated or a command has run, or if it has
    /// tasks to start. A turn for commands visits only these scenes.
    private(set) var dueScenes: [HostedScene] = []
    /// Record numbers of the scenes whose launches are deferred. The most recently used scene is last.
    private var deferredSceneNumbers: [UInt32] = []
    /// Whether application code has run since all scenes were last marked for a full scan.
    private var isFullScanPending = false
    /// Whether every object in every scene has been checked since the scenes were last marked for a full scan.
    private var isFullyScanned = true

    /// Prepares the launch of an application's scenes.
    ///
    /// - Parameters:
    ///   - archive: The application's archive, which must be loaded.
    ///   - reason: The launch reason for saved scenes that were in use.
    ///   - limits: The maximum sizes of values (P9).
    ///   - isEager: Whether all launches are scheduled immediately (see ``scheduleLaunches(isEager:)``).
    init(
        definition: ApplicationDefinition, archive: ApplicationArchive, classes: ClassRegistry,
        model: (any ApplicationModel)?, valueDeclarations: [ValueDeclaration] = [],
        reason: LaunchReason,
        limits: ValueLimits = ValueLimits(), toleratesUnrestoredValues: Bool = false,
        isEager: Bool = true
    ) {
        self.definition = definition
        self.archive = archive
        self.classes = classes
        self.model = model
        self.valueDeclarations = valueDeclarations
        hasExpiringElements = valueDeclarations.contains(where: \.hasExpiringElements)
        self.reason = reason
        self.limits = limits
        self.toleratesUnrestoredValues = toleratesUnrestoredValues
        names = NameTable(archive.names)
        numbering = RecordNumberGenerator(after: archive.highestObjectNumber)
        scheduleLaunches(isEager: isEager)
    }

    // MARK: Launching

    /// Schedules the launches of scenes that were in use, and of configured scenes that have never been saved (S3).
    ///
    /// - Parameter isEager: Whether all launches are scheduled immediately. If `false`, the launches of scenes that are
    ///   not configured are deferred (see ``popDeferredScene()``). If any scene was in use, at least one launch is
    ///   scheduled.
    func scheduleLaunches(isEager: Bool) {
        var waitingNames = definition.scenes.filter { record(of: $0).map(isInUse) ?? true }
        let configuredSceneNumbers = Set(
            definition.scenes.compactMap { record(of: $0)?.header.number })
        let mayContainClosedScenes = ReservedState.mayContainClosedScenes(names: names)
        let otherSceneNumbers = archive.sceneNumbers.filter {
            !configuredSceneNumbers.contains($0)
                && (!mayContainClosedScenes || archive.object($0).map(isInUse) == true)
        }
        table.beginLaunch(of: [])
        if isEager {
            waitingNames += otherSceneNumbers.compactMap { archive.object($0)?.sceneName }
        } else {
            let sceneUses = otherSceneNumbers.reversed().map {
                (number: $0, time: lastUseTime(of: $0))
            }
            deferredSceneNumbers = sceneUses.sorted { $0.time < $1.time }.map(\.number)
            if waitingNames.isEmpty, let lastName = popDeferredScene() { waitingNames = [lastName] }
        }
        table.beginLaunch(of: waitingNames)
    }

    /// Removes the next deferred scene and returns its name, or returns `nil` if no scene is deferred.
    ///
    /// Scenes that have been requested, closed or replaced in the meantime are skipped.
    func popDeferredScene() -> RestorationIdentifier? {
        while let number = deferredSceneNumbers.popLast() {
            if let name = name(ofDeferred: number) { return name }
        }
        return nil
    }

    private func mustRetain(_ alias: any StateRestoring) -> Bool {
        alias.restoration.record.isUnrestored
            || (alias as? CollectionObject)?.releaseRestoredObjects() == true
    }

    /// Whether a turn's commands are running. If so, the turn's own pass saves the changes, and no other turn is
    /// needed.
    var areCommandsRunning = false

    /// Whether any deferred scenes remain to be launched.
    var hasDeferredScenes: Bool { !deferredSceneNumbers.isEmpty }

    /// Whether the launches of all scenes that were in use have finished.
    var areLaunchesFinished: Bool { !hasDeferredScenes && !table.isLaunching }

    /// Names of all scenes that are waiting to be launched, including deferred scenes.
    var namesToLaunch: [RestorationIdentifier] {
        table.waitingNames + deferredSceneNumbers.reversed().compactMap(name)
    }

    /// Returns the name of a deferred scene, or `nil` if the scene has been requested, closed or replaced since.
    private func name(ofDeferred number: UInt32) -> RestorationIdentifier? {
        guard let name = archive.object(number)?.sceneName, isLaunchDeferred(name),
            record(of: name)?.header.number == number
        else { return nil }
        return name
    }

    /// Returns whether a scene was in use when it was saved and its launch has not been requested yet.
    func isLaunchDeferred(_ name: RestorationIdentifier) -> Bool {
        table[name] == nil && record(of: name).map(isInUse) == true
    }

    private func isInUse(_ record: ObjectRecord) -> Bool {
        SavedScene(RecordList([record]), timestamp: 0).isInUse(names: names)
    }

    private func lastUseTime(of sceneNumber: UInt32) -> Int64 {
        archive.passEnd(ofScene: sceneNumber)?.timestamp ?? 0
    }

    /// Parameters of a scene's launch.
    struct LaunchParameters {
        var name: RestorationIdentifier
        /// Launch reason (R2).
        var reason: LaunchReason
        /// Definition from which the scene is created.
        var definition: ApplicationDefinition
        /// Whether the launch counts as an attempt to restore unclaimed records (R16).
        var countsAsAttempt = true
        /// Whether the launch fails if the delegate refuses the saved state.
        var requiresSavedState = false
        /// Whether another program performed the last successful launch, or the storyboards have changed since that
        /// launch.
        var isFromOtherProgram = false
    }

    /// Launches a scene with its saved state (R1).
    ///
    /// - Parameter makeHostedScene: A closure that creates the hosted scene before its first callback.
    /// - Returns: The reason why the saved state must be added to the history, or `nil` if it need not be added.
    /// - Throws: An error thrown by the scene's factory or delegate.
    func launch(
        _ launch: LaunchParameters, makeHostedScene: (Scene) -> HostedScene
    ) throws -> GenerationReason? {
        let savedScene = record(of: launch.name).flatMap { archive.savedScene($0.header.number) }
        let storyboards = try storyboards(of: launch.definition)
        let delegate = try launch.definition.makeDelegate(
            SceneContext(
                name: launch.name, classes: classes, storyboards: storyboards, model: model))
        let records = SceneRecords(names: names, numbering: numbering)
        records.savedValues = { [archive] in archive.savedValues(of: $0) }
        let scene = makeHostedScene(
            Scene(
                name: launch.name, launchReason: launch.reason, delegate: delegate,
                classes: classes, records: records, limits: limits))
        do {
            try restore(scene, from: savedScene, launch, storyboards)
            let loss =
                losses.removeValue(forKey: launch.name)
                ?? (savedScene == nil ? StateLoss(of: launch.name, in: archive) : nil)
            if let loss {
                scene.scene.report(
                    damagedObjects: loss.damagedObjects,
                    displaced: savedScene == nil
                        ? loss.lossDescription : loss.earlierStateDescription)
            }
        } catch {
            scene.close()
            throw error
        }
        scene.scene.attachRoot()
        table.markLaunching(scene)
        guard let savedScene else { return nil }
        return GenerationReason(
            scene.scene.report, of: launch.name,
            savedBy: savedScene.reservedState(names: names).passMetadata.bundleVersion,
            launchedBy: definition.bundleVersion, isFromOtherProgram: launch.isFromOtherProgram)
    }

    /// Registers the declared values with a scene, then launches the scene.
    ///
    /// - Parameter savedScene: The saved state of the scene, or `nil` if the scene has no saved state.
    private func restore(
        _ scene: HostedScene, from savedScene: SavedScene?, _ launch: LaunchParameters,
        _ storyboards: (any StoryboardInstantiating)?
    ) throws {
        let valueDeclarations = valueDeclarations(of: launch.name, in: launch.definition)
        let registeredValues = try valueDeclarations.map { value in
            try value.register(
                with: scene.scene,
                isCollection: savedScene?.object(at: value.identifier.text, names: names)?
                    .classToken
                    == classes.token(for: CollectionObject.self))
        }
        // After the launch, the objects of aliases are released and their records are removed, except for records that
        // could not be restored.
        defer {
            scene.valueObjects = registeredValues.flatMap {
                ($0.object.map { [$0] } ?? []) + $0.aliases.filter(mustRetain)
            }
        }
        try scene.scene.launch(
            restoring: savedScene, storyboards: storyboards, countsAsAttempt: launch.countsAsAttempt
        )
        if launch.requiresSavedState, scene.scene.report.isRefused { throw StateRefusedError() }
        if let savedScene {
            try checkValuesRestored(
                valueDeclarations,
                registeredValues.flatMap { ($0.object.map { [$0] } ?? []) + $0.aliases },
                of: scene.scene, restoredFrom: savedScene)
        }
    }

    /// Returns whether a scene contains declared values that every launch must restore.
    func mustRestoreValues(of name: RestorationIdentifier) -> Bool {
        !toleratesUnrestoredValues && !valueDeclarations(of: name, in: definition).isEmpty
    }

    /// Earliest deadline of any collection element in a launched scene, or `nil` if no element expires.
    var nextDeadline: Date? {
        guard hasExpiringElements, let name = definition.scenes.first,
            case .launched(let scene) = state(of: name)
        else { return nil }
        return scene.valueObjects.compactMap {
            ($0 as? CollectionObject)?.store.nextDeadline()
        }.min()
    }

    /// Returns the declared values in a scene. The first configured scene contains all declared values.
    private func valueDeclarations(
        of name: RestorationIdentifier, in definition: ApplicationDefinition
    ) -> [ValueDeclaration] {
        name == definition.scenes.first ? valueDeclarations : []
    }

    /// Throws an error if a launch could not restore all saved values, unless unrestored values are tolerated.
    ///
    /// - Parameter valueObjects: The objects that represent the declared values.
    private func checkValuesRestored(
        _ valueDeclarations: [ValueDeclaration], _ valueObjects: [any StateRestoring],
        of scene: Scene, restoredFrom savedScene: SavedScene
    ) throws {
        if toleratesUnrestoredValues || scene.report.unrestored.isEmpty { return }
        let tokens = (
            value: classes.token(for: ValueObject.self),
            collection: classes.token(for: CollectionObject.self)
        )
        let roots = savedScene.rootHeaders
        let savedValues = Set(
            roots.filter { root in
                let token = names.text(of: root.classToken).map { ExactString($0) }
                return token == ExactString(tokens.value)
                    || token == ExactString(tokens.collection)
            }.map { ExactString($0.identifier) })
        let unrestoredValuesError = UnrestoredValuesError(
            scene.report, declarations: valueDeclarations,
            savedObject: { [names] path in
                savedValues.contains(ExactString(path))
                    ? savedScene.object(at: path, names: names) : nil
            },
            unlistedObjects: {
                UnrestoredObject.unrestoredValues(roots: roots, valueObjects: valueObjects)
            },
            tokens: tokens)
        if let unrestoredValuesError { throw unrestoredValuesError }
    }

    /// Returns the storyboards that the scenes in a definition share, and creates them if necessary.
    private func storyboards(
        of definition: ApplicationDefinition
    ) throws -> (any StoryboardInstantiating)? {
        let isCurrentDefinition =
            definition.resourceFingerprint == self.definition.resourceFingerprint
        if isCurrentDefinition, let storyboards { return storyboards }
        let newStoryboards = try definition.makeStoryboards?(classes)
        if isCurrentDefinition { storyboards = newStoryboards }
        return newStoryboards
    }

    /// Returns the launch reason for a scene, based on the archive and the scene table (R2).
    func launchReason(of name: RestorationIdentifier) -> LaunchReason {
        guard let record = record(of: name) else { return .pristine }
        // A scene that was closed did not crash, even if its application did.
        if table.wasClosed(name) { return .restore }
        return record.reservedState(names: names).isInUse ? reason : .restore
    }

    // MARK: Changes

    /// Closure that receives the exchanged scenes, or the reason why a change must be undone.
    typealias ChangeCompletion = (Result<SceneTable.ExchangedScenes, StateChangeFailure>) -> Void

    /// State change in progress, or `nil` if no change is in progress.
    var change: StateChange? { changeInProgress?.change }

    /// Begins to replace scenes, as part of a state change.
    ///
    /// Running scenes that the change covers are closed if they are not launched again.
    ///
    /// - Parameters:
    ///   - names: The names of the scenes to launch.
    ///   - finish: A closure that is called once, when all scenes have been launched or the change has failed.
    func beginChange(
        _ change: StateChange, launching names: [RestorationIdentifier],
        finish: @escaping ChangeCompletion
    ) {
        changeInProgress = (change, finish)
        let closingNames = table.launchedScenes.map(\.name).filter {
            change.covers($0) && !names.contains($0)
        }
        table.beginExchange(of: names, closing: closingNames)
    }

    /// Completes the change in progress if all of its scenes have been launched.
    func completeChange() {
        if change != nil, let exchangedScenes = table.completeExchange() {
            changeInProgress.take()?.finish(.success(exchangedScenes))
        }
    }

    /// Fails the change in progress, if any.
    func failChange(_ failure: StateChangeFailure) {
        changeInProgress.take()?.finish(.failure(failure))
    }

    // MARK: Ended scenes

    /// Marks a scene as failed, because it could not be launched.
    func markFailed(_ name: RestorationIdentifier, _ reason: String) {
        table.markFailed(name, reason)
        countEndedScene()
    }

    /// Marks a scene as closed in an orderly way.
    func markClosed(_ name: RestorationIdentifier) {
        table.markClosed(name)
        countEndedScene()
    }

    /// Counts a closed or failed scene.
    ///
    /// Each removal visits all scenes, so it takes place only after many scenes have been closed or have failed.
    private func countEndedScene() {
        endedSceneCount += 1
        if endedSceneCount > table.count / 2 { removeEndedScenes() }
    }

    /// Removes closed and failed scenes from the table, so that clients cannot fill it with new names.
    ///
    /// A closed scene is retained if its record still says that it is in use, because its closing was not saved. A failed
    /// scene is retained if it is saved, if it is configured, or if it is one of the scenes that failed last.
    private func removeEndedScenes() {
        endedSceneCount = 0
        var removableFailureCount = table.failures.count { isUnsavedAndUnconfigured($0.name) }
        table.removeEndedScenes { name, isFailed in
            guard isFailed else { return record(of: name).map(isInUse) != true }
            guard isUnsavedAndUnconfigured(name) else { return false }
            removableFailureCount -= 1
            return removableFailureCount >= Self.maximumUnsavedFailures
        }
    }

    private func isUnsavedAndUnconfigured(_ name: RestorationIdentifier) -> Bool {
        record(of: name) == nil && !definition.scenes.contains(name)
    }

    // MARK: Turns

    /// Marks a scene as used, and adds it to ``dueScenes``.
    func markDue(_ scene: HostedScene) {
        scene.hasBeenUsed = true
        if scene.isDue { return }
        scene.isDue = true
        dueScenes.append(scene)
    }

    /// Records that application code has run. The code may have changed any scene through the shared model data (P20).
    func markNeedsFullScan() { isFullScanPending = true }

    /// Returns the scenes over which a turn must make passes.
    func scenes(for reason: TurnReason) -> [HostedScene] {
        if !reason.coversAllScenes {
            return dueScenes.filter { scene in
                guard case .launched(let launched) = state(of: scene.name) else { return false }
                return launched === scene
            }
        }
        if isFullScanPending { for scene in table.liveScenes { scene.scene.markNeedsFullScan() } }
        isFullScanPending = false
        return table.launchedScenes
    }

    /// Updates the due scenes after a turn has made its passes over `scenes`.
    ///
    /// - Parameter isOptedOut: A closure that returns whether a scene is excluded from saving. No passes are made over
    ///   such a scene.
    func endTurn(
        _ reason: TurnReason, _ scenes: [HostedScene],
        except isOptedOut: (RestorationIdentifier) -> Bool
    ) {
        if reason.coversAllScenes {
            isFullyScanned = scenes.allSatisfy { $0.scene.isFullyScanned || isOptedOut($0.name) }
        }
        dueScenes = dueScenes.filter { scene in
            scene.isDue = scene.hasWorkForTurn
            return scene.isDue
        }
    }

    /// Whether any due scene needs a pass.
    var needsPass: Bool { dueScenes.contains { $0.scene.needsPass } }

    /// Returns whether a full scan, including objects that are not invalidated, would find no changes.
    ///
    /// - Parameter isOptedOut: A closure that returns whether a scene is excluded from saving. Objects in such a scene
    ///   stay invalidated.
    func isIdle(except isOptedOut: (RestorationIdentifier) -> Bool) -> Bool {
        !isFullScanPending && isFullyScanned
            && !dueScenes.contains { $0.scene.needsPass && !isOptedOut($0.name) }
    }

    // MARK: Names

    /// State of a scene.
    enum State {
        case launched(HostedScene)
        case launching
        case failed(reason: String)
        case saved
        case unknown
    }

    /// Returns the state of the scene with the given name.
    func state(of name: RestorationIdentifier) -> State {
        if table.isBeingExchanged(name) { return .launching }
        switch table[name] {
        case .waiting, .launching: return .launching
        case .launched(let scene): return .launched(scene)
        case .failed(let reason): return .failed(reason: reason)
        case .closed, nil: return record(of: name) == nil ? .unknown : .saved
        }
    }

    /// Name of the scene that commands address by default, or `nil` if the application has no scene.
    var defaultSceneName: RestorationIdentifier? {
        definition.scenes.first(where: isKnown) ?? table.launchedScenes.first?.name
            ?? archive.scenes.first?.sceneName
    }

    /// Returns the names of all scenes, whether or not they are launched.
    ///
    /// Configured scenes come first, followed by saved scenes in the order of the archive, and then by new scenes.
    ///
    /// - Parameter limit: The maximum number of names.
    func names(atMost limit: Int = .max) -> [RestorationIdentifier] {
        var addedNames: Set<RestorationIdentifier> = []
        var names: [RestorationIdentifier] = []
        func add(_ name: RestorationIdentifier) -> Bool {
            guard names.count < limit else { return false }
            if addedNames.insert(name).inserted, isKnown(name) { names.append(name) }
            return true
        }
        _ =
            definition.scenes.allSatisfy(add)
            && archive.scenes(atMost: limit).allSatisfy { add($0.sceneName) }
            && table.names.allSatisfy(add)
        return names
    }

    /// Returns the status of a scene, as shown to operators.
    func status(of name: RestorationIdentifier) -> SceneStatus {
        switch state(of: name) {
        case .launched(let scene): scene.status
        case .launching:
            table.launchingScene.flatMap { $0.name == name ? $0.status : nil }
                ?? SceneStatus(name: name, phase: .restoring)
        case .failed(let reason): SceneStatus(name: name, phase: .failed(reason: reason))
        case .saved where isLaunchDeferred(name): SceneStatus(name: name, phase: .restoring)
        case .saved, .unknown: SceneStatus(name: name, phase: .saved)
        }
    }

    /// Returns whether a scene with the given name exists, whether or not it is launched.
    func isKnown(_ name: RestorationIdentifier) -> Bool {
        if case .unknown = state(of: name) { false } else { true }
    }

    // MARK: Saved records

    /// Returns the saved record of a scene, or `nil` if the scene is not saved.
    func record(of name: RestorationIdentifier) -> ObjectRecord? { archive.scene(named: name.text) }
}

/// Error for a launch that failed because the scene's delegate refused the saved state.
struct StateRefusedError: Error, CustomStringConvertible {
    var description: String { "the application refused the state" }
}
