/// One running instance of an application, with its delegate, registered objects and object tree (S1).
///
/// A scene corresponds to a running application in UIKit. It is used only on its application's actor.
public final class Scene {
    /// Name of the scene, unique in its application (S2).
    public let name: RestorationIdentifier
    /// Reason why the scene was launched (R2).
    public let launchReason: LaunchReason
    /// Delegate that decides whether state is saved and restored.
    public let delegate: any RestorationDelegate
    /// Stable names of the application's classes (P13).
    package private(set) var classes: ClassRegistry
    /// Records and marks for the scene's objects.
    package let records: SceneRecords
    /// Limits on the sizes of encoded values (P9).
    package var limits: ValueLimits
    /// Report on the launch (R15).
    package var report: RestorationReport
    /// Whether the launch has completed.
    ///
    /// No state is saved before the launch has completed (P17).
    package internal(set) var isLaunched = false {
        didSet {
            guard isLaunched, !oldValue else { return }
            launchEnd.markReached()
            delegate.launchObserver?.sceneDidLaunch()
            delegate.sceneDidLaunch(self)
            records.clearLaunchMarks()
        }
    }

    /// Flag that is set when the launch has completed, timed out or been abandoned.
    package let launchEnd = LaunchEnd()
    /// Objects that are still being restored asynchronously (R13).
    var unfinishedObjects = UnfinishedObjects()
    /// Whether the scene has ended. Asynchronous restorations that finish later are ignored.
    private(set) var hasEnded = false

    /// Whether the next start of the application launches the scene (S3).
    ///
    /// The scene's record stores this value.
    package var isInUse = true {
        didSet {
            if isInUse == oldValue { return }
            records.recordedPassMetadata = nil
            records.request.isReservedStateMarked = true
        }
    }
    /// Number of each client's last operation on the scene.
    ///
    /// The scene's record stores these numbers in the same write as the changes that the operations make.
    package var lastOperationNumbers: LastOperationNumbers {
        get { records.lastOperationNumbers }
        set {
            records.lastOperationNumbers = newValue
            records.request.isReservedStateMarked = true
        }
    }
    /// Whether snapshots of the scene are omitted.
    var ignoresSnapshots = false
    /// Number of extensions that have not been completed yet (R13).
    package internal(set) var restorationExtensionCount = 0
    /// Whether the launch has finished all of its steps and only waits for its extensions to be completed (R13).
    package internal(set) var awaitsCompletion = false
    /// Closure that is called when an extended launch has completed.
    package var onLaunchCompleted: (() -> Void)?
    /// Closure that is called when a launch or a pass reaches a stage.
    package var onStage: ((Stage) -> Void)?
    /// Closure that is called before a launch performs a step on an object (R17).
    ///
    /// The arguments are the step, the object's identifier, and the length of the parent's path in bytes, or 0 if the
    /// object has no parent. The parent's path itself is known from earlier calls.
    @exclusivity(unchecked) package var onLaunchStep:
        ((LaunchStep, RestorationIdentifier, Int) -> Void)?

    /// Whether, since the last pass, a command has deleted a row and thereby removed a controller with unsaved changes.
    ///
    /// Controllers that the command itself dismissed do not count.
    package var hasRemovedUnsavedController = false

    /// Node of the window's root object in the last pass, or `nil` if there was none. The node may outlive the object.
    var preservedRoot: RestorationNode?
    /// Encoder for the scene's objects, used by every pass.
    let encoder: StateEncoder
    /// Numbers of the class names under which the scene's objects are recorded (P13).
    let classNameNumbers: ClassNameNumbers
    /// Objects that are registered with the scene (P12).
    let registrations = ObjectRegistrations()

    /// Creates a scene that has not been launched.
    ///
    /// The delegate must not be used by another scene.
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
        classNameNumbers = ClassNameNumbers(classes, in: records.names)
        encoder = StateEncoder(
            names: records.names,
            passMetadata: PassMetadata(bundleVersion: "", timestamp: 0, systemVersion: ""))
        encoder.records = records
        report = RestorationReport(reason: launchReason)
    }

    /// Whether a pass has work to do, for example because an object is marked or the root has changed.
    package var needsPass: Bool {
        records.hasPendingWork || preservedRoot !== delegate.restorationRoot?.restoration
    }

    /// Registers an object that is neither a view controller nor a view (P12).
    ///
    /// The scene holds a weak reference to the object. A registered object is preserved even if no other object refers
    /// to it.
    ///
    /// - Throws: ``RegistrationError`` if another object is already registered at the same path.
    public func registerObject(
        forStateRestoration object: any StateRestoring,
        restorationIdentifier identifier: RestorationIdentifier
    ) throws(RegistrationError) {
        try registrations.add(object, as: identifier, in: records)
        records.markRegistrations()
    }

    /// Adds names that a class had in earlier versions (P13).
    ///
    /// Call this method before saved state is read.
    ///
    /// - Throws: ``ClassRegistryError`` if a name belongs to another class or is invalid.
    package func addAliases<Object: StateRestoring>(
        _ aliases: [String], of type: Object.Type
    ) throws(ClassRegistryError) {
        classes.register(type, as: classes.token(for: type), aliases: aliases)
        try classes.validate()
    }

    /// Marks the application-level state, so that the next pass asks the delegate to encode it (P2).
    public func invalidateApplicationState() {
        records.request.isApplicationStateMarked = true
    }

    /// Registered objects that still exist, in the order of registration.
    package var registeredObjects: [any StateRestoring] { registrations.objects }

    /// Omits snapshots of the scene until the scene's next launch.
    ///
    /// Call this method while the scene shows content that must not appear in a snapshot.
    public func ignoreSnapshotOnNextApplicationLaunch() {
        ignoresSnapshots = true
    }

    /// Links the scene's root to the scene before the first pass.
    ///
    /// The root's tasks can then start. They must not start later, because an extended launch may wait for their
    /// results (R13, S4).
    package func attachRoot() {
        delegate.restorationRoot?.restoration.records = records
    }

    /// Extends the launch until ``completeStateRestoration()`` has been called once for each call to this method (R13).
    ///
    /// Until then, the scene is not saved, and the daemon is not ready.
    public func extendStateRestoration() {
        restorationExtensionCount += 1
    }

    /// Ends one extension that ``extendStateRestoration()`` began.
    ///
    /// A call without a matching extension is ignored and reported (R13).
    public func completeStateRestoration() {
        guard restorationExtensionCount > 0 else {
            report.superfluousCompletions += 1
            return
        }
        restorationExtensionCount -= 1
        completeLaunchIfNotExtended()
    }

    /// Completes the launch if no extension remains.
    func completeLaunchIfNotExtended() {
        if !isLaunchExtended { completeLaunch() }
    }

    /// Whether anything extends the launch (R13).
    var isLaunchExtended: Bool { restorationExtensionCount > 0 || !unfinishedObjects.isEmpty }

    /// Ends the scene, and abandons its launch if the launch has not completed.
    package func end() {
        hasEnded = true
        awaitsCompletion = false
        _ = unfinishedObjects.removeAll()
        launchEnd.markReached()
    }

    /// Reports an object that could not finish its restoration.
    func reportUnfinished(_ path: String, _ reason: String) {
        report.restored -= 1
        report.add(UnrestoredObject(path, .decodingFailed(reason)), to: \.unrestored)
    }

    /// Reports saved state that the scene's launch could not receive.
    ///
    /// - Parameters:
    ///   - damagedObjects: The report entries for objects whose records are damaged (L5).
    ///   - displaced: The value of ``RestorationReport/displaced``.
    package func report(damagedObjects: [UnrestoredObject], displaced: String?) {
        report.recorded += damagedObjects.count
        for object in damagedObjects { report.add(object, to: \.unrestored) }
        report.displaced = displaced
    }

    /// Reports that an action in another scene has removed a controller.
    ///
    /// - Parameter sentence: A sentence that contains the path of the controller and the location of its contents.
    package func report(vanished sentence: String) { report.add(sentence, to: \.vanished) }

    /// Completes an extended launch after all extensions have been completed or the timeout has expired.
    ///
    /// The method does nothing if the launch is not waiting for its extensions.
    package func completeLaunch(hasTimedOut: Bool = false) {
        guard awaitsCompletion else { return }
        awaitsCompletion = false
        report.hasTimedOut = hasTimedOut
        // Marks unfinished objects as unrestored, so that their saved state is retained (R16).
        for object in unfinishedObjects.removeAll() {
            records.retainUnrestoredState(of: object.restoration)
        }
        isLaunched = true
        onLaunchCompleted?()
    }
}

/// A step that a launch performs on each object.
package enum LaunchStep {
    case finding, decoding, finishing
}

/// A named point in the life of a scene.
///
/// A launch, a turn or a pass reaches its stages in the order of the cases. After a crash, the last stage shows where a
/// launch stopped. A debug command can terminate the program at a stage.
package enum Stage: String, Sendable, CaseIterable {
    /// The launch has begun, but nothing has run yet.
    case launchBegin = "launch-begin"
    /// The delegate has created the base objects (R1).
    case launchCreatedBaseObjects = "launch-made"
    /// The launch has searched for every recorded object.
    case launchFound = "launch-found"
    /// Every object that was found has decoded its state.
    case launchDecoded = "launch-decoded"
    /// All objects and the delegate have been notified. The launch is complete unless it is extended (R13).
    case launchFinished = "launch-finished"
    /// A turn has begun, but its commands have not run yet.
    case turnBegin = "turn-begin"
    /// The turn's commands have run, but none of their changes have been saved yet.
    case turnCommands = "turn-commands"
    /// The turn's changes have been written, but no reply has been sent yet.
    case turnWritten = "turn-written"
    /// A pass has begun, but nothing has been encoded yet.
    case passBegin = "pass-begin"
    /// All changes in the pass have been encoded, but nothing has been written yet.
    case passEncoded = "pass-encoded"
}
