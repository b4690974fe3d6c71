/// One running instance of an application: its delegate, its registered objects, its live tree
/// (S1).
///
/// A scene is to Reprise what a running application is to UIKit. It belongs to its application's
/// actor and is used there alone.
public final class Scene {
    /// The scene's name, unique in its application (S2).
    public let name: RestorationIdentifier
    /// Reason for which the scene was launched (R2).
    public let launchReason: LaunchReason
    /// Decides over saving and restoring.
    public let delegate: any RestorationDelegate
    /// The stable names of the application's classes (P13).
    package private(set) var classes: ClassRegistry
    /// Which objects have records and which are marked.
    package let records: SceneRecords
    /// How large values may be (P9).
    package var limits: ValueLimits
    /// The account of the launch (R15).
    package var report: RestorationReport
    /// Whether the launch has completed; before, nothing is saved (P17).
    package internal(set) var isLaunched = false {
        didSet {
            guard isLaunched, !oldValue else { return }
            launchEnd.reach()
            delegate.launchObserver?.sceneDidLaunch()
            delegate.sceneDidLaunch(self)
            records.forgetLaunchMarks()
        }
    }

    /// Tells others when it has.
    package let launchEnd = LaunchEnd()
    /// Objects whose restoration goes on when the launch has run (R13).
    var unfinished = UnfinishedObjects()
    /// Whether the scene has ended: nothing of its launch goes on.
    private(set) var hasEnded = false

    /// Whether the scene is launched at the application's next start (S3); recorded with it.
    package var isInUse = true {
        didSet {
            if isInUse == oldValue { return }
            records.recordedStamp = nil
            records.request.isReservedStateMarked = true
        }
    }
    /// Whether the next snapshot is left out.
    var ignoresSnapshots = false
    /// How often the restoration was extended and not completed yet (R13).
    package internal(set) var restorationExtensions = 0
    /// Whether the launch has run and only waits for extensions to end (R13).
    package internal(set) var awaitsCompletion = false
    /// Called when a launch that was extended has completed.
    package var onLaunchCompleted: (() -> Void)?
    /// Called when a launch or a pass reaches a stage.
    package var onStage: ((Stage) -> Void)?
    /// Called before something is done with an object in a launch (R17): what, the object's
    /// identifier, and how many bytes the path of the object above it has, which came before; 0 if
    /// there is none.
    @exclusivity(unchecked) package var onObject:
        ((LaunchStep, RestorationIdentifier, Int) -> Void)?

    /// Whether a command since the last pass removed a controller with unsaved changes, other than one that it left.
    package var hasRemovedDraft = false

    /// The root that the last pass saw, told by its node, which outlives it.
    var preservedRoot: RestorationNode?
    /// Encodes the scene's objects, in one pass after the other.
    let encoder: StateEncoder
    /// The numbers of the names that the scene's objects are recorded with (P13).
    let classNames: ClassNames
    /// The objects that were registered with the scene (P12).
    let registrations = Registrations()

    /// A scene that has not been launched, with a delegate of its own.
    package init(
        name: RestorationIdentifier, launchReason: LaunchReason,
        delegate: any RestorationDelegate, classes: ClassRegistry, records: SceneRecords,
        limits: ValueLimits = ValueLimits()
    ) {
        self.name = name
        self.launchReason = launchReason
        self.delegate = delegate
        self.classes = classes
        self.records = records
        self.limits = limits
        classNames = ClassNames(classes, in: records.names)
        encoder = StateEncoder(
            names: records.names,
            stamp: PassStamp(bundleVersion: "", timestamp: 0, systemVersion: ""))
        encoder.records = records
        report = RestorationReport(reason: launchReason)
    }

    /// Whether a pass has anything to look at: something is marked, or the root is another.
    package var needsPass: Bool {
        records.isAnythingMarked || preservedRoot !== delegate.restorationRoot?.restoration
    }

    /// Registers an object that is no view controller and no view (P12). It is kept weakly;
    /// registration alone preserves it.
    ///
    /// - Throws: ``RegistrationError`` if another object is registered under that path already.
    public func registerObject(
        forStateRestoration object: any StateRestoring,
        restorationIdentifier identifier: RestorationIdentifier
    ) throws(RegistrationError) {
        try registrations.add(object, as: identifier, in: records)
        records.request.areRegistrationsMarked = true
    }

    /// Tells the names that a class had in earlier versions (P13), before what is saved is looked at.
    ///
    /// - Throws: ``ClassRegistryError`` if one is another class's, or cannot be a name.
    package func addAliases<Object: StateRestoring>(
        _ aliases: [String], of type: Object.Type
    ) throws(ClassRegistryError) {
        classes.register(type, as: classes.token(for: type), aliases: aliases)
        try classes.validate()
    }

    /// The application-level state changed: the next pass asks the delegate for it (P2).
    public func invalidateApplicationState() {
        records.request.isApplicationStateMarked = true
    }

    /// The registered objects that are still alive, in the order of their registration.
    package var registeredObjects: [any StateRestoring] { registrations.objects }

    /// Keeps nothing of how the scene looks until it is launched anew: there is something to see
    /// that is not to be seen later.
    public func ignoreSnapshotOnNextApplicationLaunch() {
        ignoresSnapshots = true
    }

    /// Makes the scene's root know its scene, before the first pass does: a launch whose
    /// restoration is extended may wait for what the root's tasks do (R13, S4).
    package func attachRoot() {
        delegate.restorationRoot?.restoration.records = records
    }

    /// Keeps the launch in restoration until ``completeStateRestoration()`` was called as often
    /// (R13): the scene is not saved and the program not ready before.
    public func extendStateRestoration() {
        restorationExtensions += 1
    }

    /// Ends what ``extendStateRestoration()`` began. A call too many is ignored and reported (R13).
    public func completeStateRestoration() {
        guard restorationExtensions > 0 else {
            report.superfluousCompletions += 1
            return
        }
        restorationExtensions -= 1
        completeIfNothingExtends()
    }

    /// Ends the launch if nothing keeps it in restoration any more.
    func completeIfNothingExtends() {
        if !isExtended { completeLaunch() }
    }

    /// Whether the launch is kept in restoration (R13).
    var isExtended: Bool { restorationExtensions > 0 || !unfinished.isEmpty }

    /// The scene ends: nothing of its launch goes on.
    package func end() {
        hasEnded = true
        awaitsCompletion = false
        _ = unfinished.removeAll()
        launchEnd.reach()
    }

    /// Tells in the report that an object could not finish its restoration.
    func reportUnfinished(_ path: String, _ reason: String) {
        report.restored -= 1
        report.list(UnrestoredObject(path, .notDecoded(reason)), in: \.unrestored)
    }

    /// Tells in the report what the archive had of the scene and could not give to its launch.
    ///
    /// - Parameters:
    ///   - damaged: the objects that were recorded and whose records are damaged (L5).
    ///   - displaced: see ``RestorationReport/displaced``.
    package func report(damaged: [UnrestoredObject], displaced: String?) {
        report.recorded += damaged.count
        for object in damaged { report.list(object, in: \.unrestored) }
        report.displaced = displaced
    }

    /// Tells in the report that a controller was taken away by what another scene did.
    ///
    /// - Parameter sentence: its path, and where what it held is kept.
    package func report(vanished sentence: String) { report.list(sentence, in: \.vanished) }

    /// Ends a launch that was extended and whose callbacks have all returned; also when the wait
    /// for it is over. Does nothing if the launch does not wait.
    package func completeLaunch(hasTimedOut: Bool = false) {
        guard awaitsCompletion else { return }
        awaitsCompletion = false
        report.hasTimedOut = hasTimedOut
        // Marked unrestored, unfinished objects keep what was saved of them (R16).
        for object in unfinished.removeAll() { object.restoration.record.isUnrestored = true }
        isLaunched = true
        onLaunchCompleted?()
    }
}

/// What a launch does with one object.
package enum LaunchStep {
    case finding, decoding, finishing
}

/// A named point in the life of a scene, in the order in which a launch, a turn and a pass reach
/// them. Tells how far a launch came, and where a debug command ends the program.
package enum Stage: String, Sendable, CaseIterable {
    /// Nothing of the launch has run yet.
    case launchBegin = "launch-begin"
    /// The delegate has made the base objects (R1).
    case launchMade = "launch-made"
    /// Every recorded object was looked for.
    case launchFound = "launch-found"
    /// Every found object has decoded.
    case launchDecoded = "launch-decoded"
    /// Every object and the delegate were told; the launch is complete unless it is extended (R13).
    case launchFinished = "launch-finished"
    /// A turn begins; its commands have not run.
    case turnBegin = "turn-begin"
    /// The turn's commands have run, and nothing of what they changed is saved.
    case turnCommands = "turn-commands"
    /// The turn's changes are written, and nobody was answered.
    case turnWritten = "turn-written"
    /// A pass begins; nothing has encoded.
    case passBegin = "pass-begin"
    /// Everything of the pass has encoded, and nothing is written.
    case passEncoded = "pass-encoded"
}
