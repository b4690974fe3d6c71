/// One running instance of an application, with its delegate, registered objects and object tree (S1).
///
/// A scene corresponds to a running application in UIKit. Only the actor of its application uses it.
public final class Scene {
    /// Name of the scene, unique in its application (S2).
    public let name: RestorationIdentifier
    /// Launch reason of the scene (R2).
    public let launchReason: LaunchReason
    /// Delegate that decides whether state is saved and restored.
    public let delegate: any RestorationDelegate
    /// Stable names of the application's classes (P13).
    package private(set) var classes: ClassRegistry
    /// Records and marks of the scene's objects.
    package let records: SceneRecords
    /// Maximum sizes of encoded values (P9).
    package var limits: ValueLimits
    /// Report on the launch (R15).
    package var report: RestorationReport
    /// Whether the launch has completed.
    ///
    /// No state is saved before the launch has completed (P17).
    package internal(set) var isLaunched = false {
        didSet {
            guard isLaunched, !oldValue else { return }
            launchEnd.reach()
            delegate.launchObserver?.sceneDidLaunch()
            delegate.sceneDidLaunch(self)
            records.forgetLaunchMarks()
        }
    }

    /// Flag that is set when the launch has completed or the scene has ended.
    package let launchEnd = LaunchEnd()
    /// Objects that are still being restored after the launch has run (R13).
    var unfinished = UnfinishedObjects()
    /// Whether the scene has ended, so that its launch no longer continues.
    private(set) var hasEnded = false

    /// Whether the next start of the application launches the scene (S3).
    ///
    /// The scene's record stores this value.
    package var isInUse = true {
        didSet {
            if isInUse == oldValue { return }
            records.recordedStamp = nil
            records.request.isReservedStateMarked = true
        }
    }
    /// Whether the next snapshot is omitted.
    var ignoresSnapshots = false
    /// Number of extensions of the restoration that have not been completed yet (R13).
    package internal(set) var restorationExtensions = 0
    /// Whether the launch has run and only waits until its extensions are completed (R13).
    package internal(set) var awaitsCompletion = false
    /// Closure that is called when an extended launch has completed.
    package var onLaunchCompleted: (() -> Void)?
    /// Closure that is called when a launch or a pass reaches a stage.
    package var onStage: ((Stage) -> Void)?
    /// Closure that is called before each step that a launch performs on an object (R17).
    ///
    /// The arguments are the step, the object's identifier, and the length in bytes of the path of the object
    /// above it. The path itself was reported by earlier calls. The length is 0 if there is no such object.
    @exclusivity(unchecked) package var onObject:
        ((LaunchStep, RestorationIdentifier, Int) -> Void)?

    /// Whether a command since the last pass deleted a row and thereby removed a controller with unsaved changes.
    ///
    /// A controller that the command dismissed itself does not count.
    package var hasRemovedDraft = false

    /// Node of the root in the last pass. It outlives the root.
    var preservedRoot: RestorationNode?
    /// Encoder for the scene's objects, used by every pass.
    let encoder: StateEncoder
    /// Numbers of the names under which the scene's objects are recorded (P13).
    let classNames: ClassNames
    /// Objects that are registered with the scene (P12).
    let registrations = Registrations()

    /// Creates a scene that has not been launched.
    ///
    /// No other scene may use the delegate.
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

    /// Whether a pass has work to do because an object is marked or the root has changed.
    package var needsPass: Bool {
        records.isAnythingMarked || preservedRoot !== delegate.restorationRoot?.restoration
    }

    /// Registers an object that is neither a view controller nor a view (P12).
    ///
    /// The scene holds the object weakly. Registration alone is enough to preserve it.
    ///
    /// - Throws: ``RegistrationError`` if another object is already registered at the same path.
    public func registerObject(
        forStateRestoration object: any StateRestoring,
        restorationIdentifier identifier: RestorationIdentifier
    ) throws(RegistrationError) {
        try registrations.add(object, as: identifier, in: records)
        records.request.areRegistrationsMarked = true
    }

    /// Adds the names that a class had in earlier versions (P13).
    ///
    /// Call this method before saved state is read.
    ///
    /// - Throws: ``ClassRegistryError`` if a name belongs to another class or is not a valid name.
    package func addAliases<Object: StateRestoring>(
        _ aliases: [String], of type: Object.Type
    ) throws(ClassRegistryError) {
        classes.register(type, as: classes.token(for: type), aliases: aliases)
        try classes.validate()
    }

    /// Marks the application-level state, so that the next pass requests it from the delegate (P2).
    public func invalidateApplicationState() {
        records.request.isApplicationStateMarked = true
    }

    /// Registered objects that still exist, in the order of registration.
    package var registeredObjects: [any StateRestoring] { registrations.objects }

    /// Omits snapshots of the scene until its next launch.
    ///
    /// Call this method while the scene shows content that must not be visible later.
    public func ignoreSnapshotOnNextApplicationLaunch() {
        ignoresSnapshots = true
    }

    /// Links the scene's root to the scene before the first pass does so.
    ///
    /// An extended launch may wait for results of the root's tasks (R13, S4).
    package func attachRoot() {
        delegate.restorationRoot?.restoration.records = records
    }

    /// Extends the restoration until ``completeStateRestoration()`` has been called the same number of times
    /// (R13).
    ///
    /// Until then, the scene is not saved, and the daemon is not ready.
    public func extendStateRestoration() {
        restorationExtensions += 1
    }

    /// Ends one extension that ``extendStateRestoration()`` began.
    ///
    /// An additional call is ignored and reported (R13).
    public func completeStateRestoration() {
        guard restorationExtensions > 0 else {
            report.superfluousCompletions += 1
            return
        }
        restorationExtensions -= 1
        completeIfNothingExtends()
    }

    /// Completes the launch if nothing extends it any longer.
    func completeIfNothingExtends() {
        if !isExtended { completeLaunch() }
    }

    /// Whether something extends the launch (R13).
    var isExtended: Bool { restorationExtensions > 0 || !unfinished.isEmpty }

    /// Ends the scene, so that its launch no longer continues.
    package func end() {
        hasEnded = true
        awaitsCompletion = false
        _ = unfinished.removeAll()
        launchEnd.reach()
    }

    /// Reports that an object could not finish its restoration.
    func reportUnfinished(_ path: String, _ reason: String) {
        report.restored -= 1
        report.list(UnrestoredObject(path, .notDecoded(reason)), in: \.unrestored)
    }

    /// Reports saved state of the scene that could not be passed to its launch.
    ///
    /// - Parameters:
    ///   - damaged: The recorded objects whose records are damaged (L5).
    ///   - displaced: The value of ``RestorationReport/displaced``.
    package func report(damaged: [UnrestoredObject], displaced: String?) {
        report.recorded += damaged.count
        for object in damaged { report.list(object, in: \.unrestored) }
        report.displaced = displaced
    }

    /// Reports that another scene's action removed a controller.
    ///
    /// - Parameter sentence: A sentence with the path of the controller and the location of its contents.
    package func report(vanished sentence: String) { report.list(sentence, in: \.vanished) }

    /// Completes an extended launch when all callbacks have returned or the timeout has expired.
    ///
    /// The method does nothing if the launch is not waiting.
    package func completeLaunch(hasTimedOut: Bool = false) {
        guard awaitsCompletion else { return }
        awaitsCompletion = false
        report.hasTimedOut = hasTimedOut
        // Marks unfinished objects as unrestored, so that their saved state is retained (R16).
        for object in unfinished.removeAll() { object.restoration.record.isUnrestored = true }
        isLaunched = true
        onLaunchCompleted?()
    }
}

/// Step that a launch performs on one object.
package enum LaunchStep {
    case finding, decoding, finishing
}

/// Named point in the life of a scene, in the order in which a launch, a turn and a pass reach it.
///
/// Stages show where a launch stopped. A debug command can terminate the program at a stage.
package enum Stage: String, Sendable, CaseIterable {
    /// The launch begins, and nothing has run yet.
    case launchBegin = "launch-begin"
    /// The delegate has created the base objects (R1).
    case launchMade = "launch-made"
    /// Every recorded object has been searched for.
    case launchFound = "launch-found"
    /// Every object that was found has decoded.
    case launchDecoded = "launch-decoded"
    /// Every object and the delegate have been notified. The launch is complete unless it is extended (R13).
    case launchFinished = "launch-finished"
    /// A turn begins, and its commands have not run.
    case turnBegin = "turn-begin"
    /// The turn's commands have run, and none of their changes is saved.
    case turnCommands = "turn-commands"
    /// The turn's changes are written, and no reply has been sent.
    case turnWritten = "turn-written"
    /// A pass begins, and nothing has been encoded.
    case passBegin = "pass-begin"
    /// All changes of the pass are encoded, and nothing is written.
    case passEncoded = "pass-encoded"
}
