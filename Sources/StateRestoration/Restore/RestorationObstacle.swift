import ExactText
import StateRecords

/// Reason why a launch cannot restore a recorded object, with the remedy for a later launch (R15).
struct RestorationObstacle {
    /// Stable code of the obstacle.
    let code: RestorationFailure
    /// Explanation, as a sentence without a full stop.
    let detail: String
    /// Remedy, as an imperative sentence.
    let remedy: String

    private init(_ code: RestorationFailure, _ detail: String, _ remedy: String) {
        self.code = code
        self.detail = detail
        self.remedy = remedy
    }

    private static let reloadInstruction = "then run `reprisectl reload`."
    private static let reloadOrRestartInstruction =
        "then run `reprisectl reload`, or restart the program"
    private static let restartInstruction = "then restart the program."
}

// Each member describes one obstacle.
extension RestorationObstacle {
    /// No object exists at the record's path, and none can be created.
    static func noObject(_ header: ObjectHeader, below parentPath: String?) -> Self {
        let identifier = "\(header.restorationIdentifier.withoutOrdinal)"
        let location = parentPath.map { "below \($0)" } ?? "as a root"
        let remedy =
            switch header.restorationKind {
            case .view:
                "Give a view of \(parentPath ?? "the controller") the restoration identifier \(identifier) again, "
                    + reloadInstruction
            case .object where parentPath == nil:
                "Before the launch, register an object as \(identifier) or declare a value or collection with this "
                    + "name, " + restartInstruction
            case .object:
                "Add the object \(identifier) to \(parentPath ?? "its parent") again, "
                    + restartInstruction
            case .viewController, .scene, nil:
                "Add a controller with the restoration identifier \(identifier) \(location) again, or save it with a "
                    + "restoration class, " + restartInstruction
            }
        return Self(.noObject, "no object exists at this path, and nothing creates one", remedy)
    }

    /// The restoration class, the delegate or the parent returned no object.
    ///
    /// - Parameter error: The error that was thrown, or `nil` if no error was thrown.
    static func noObjectReturned(
        _ code: RestorationFailure, by finderDescription: String, _ error: (any Error)? = nil
    ) -> Self {
        Self(
            code, "\(finderDescription) returned no object" + (error.map { ": \($0)" } ?? ""),
            "Bring back what the object needs, such as the model data it shows, "
                + restartInstruction)
    }

    /// No restoration class has the recorded name.
    static func noRestorationClass(_ token: String) -> Self {
        Self(
            .restorationClassMissing,
            "no restoration class is registered with the name or alias \(token)",
            "Register the restoration class with the name or alias \(token), " + restartInstruction)
    }

    /// The storyboard defines the controller, but with a different restoration identifier or without one.
    static func restorationIdentifierChanged(
        _ origin: StoryboardOrigin, _ identifier: String, has currentIdentifier: String?
    ) -> Self {
        Self(
            .storyboardMissing,
            "the controller \(origin.identifier) of the storyboard \(origin.name) has "
                + (currentIdentifier.map { "the restoration identifier \($0)" }
                    ?? "no restoration identifier") + " now",
            "Give it `restorationIdentifier: \(identifier)` again, " + reloadInstruction)
    }

    /// The storyboard does not exist or does not contain the controller.
    static func storyboardControllerMissing(_ origin: StoryboardOrigin) -> Self {
        Self(
            .storyboardMissing,
            "the storyboard \(origin.name) has no controller \(origin.identifier)",
            "Put the controller \(origin.identifier) back into the storyboard \(origin.name), "
                + reloadInstruction)
    }

    /// The storyboard defines the controller, but no longer as a child of the same parent.
    static func storyboardChildMissing(_ origin: StoryboardOrigin, of parentPath: String) -> Self {
        Self(
            .storyboardMissing,
            "the storyboard \(origin.name) no longer has it as a child of \(parentPath)",
            "Add the controller \(origin.identifier) as a child of \(parentPath) again, "
                + reloadInstruction)
    }

    /// The object that was found has a different kind.
    static func kindMismatch(savedKind: String, foundKind: String) -> Self {
        Self(
            .classMismatch,
            "it was saved as a \(savedKind), but the object found is a \(foundKind)",
            "Give the \(foundKind) another restoration identifier, "
                + reloadOrRestartInstruction + ".")
    }

    /// The object that was found has a different class.
    static func differentClass(savedClass: String, foundClass: String) -> Self {
        Self(
            .classMismatch,
            "it was saved as \(savedClass), but the object found has the class \(foundClass)",
            "Give it the class \(savedClass) again, " + reloadOrRestartInstruction
                + "; or, if the class was renamed, register \(foundClass) with the alias \(savedClass), "
                + restartInstruction)
    }

    /// No class has the recorded name.
    static func unknownClass(savedClass: String, foundClass: String) -> Self {
        Self(
            .classMissing,
            "it was saved as \(savedClass), but no class has this name: the object found is a \(foundClass)",
            "Register \(foundClass) with the alias \(savedClass), " + restartInstruction)
    }

    /// The restoration class or the delegate returned an object that has already been restored at a different path.
    static func alreadyRestored(as path: String, returnedBy finderDescription: String) -> Self {
        Self(
            .duplicatePath, "\(finderDescription) returned the object that was restored as \(path)",
            "Make sure that \(finderDescription) returns a different object for each path, "
                + restartInstruction)
    }

    /// The restoration class or the delegate returned an object that belongs to another scene.
    static func objectOfOtherScene(_ finderDescription: String) -> Self {
        Self(
            .noObject, "\(finderDescription) returned an object of another scene",
            "Make sure that \(finderDescription) returns a different object for each scene, "
                + restartInstruction)
    }

    /// The object cannot be registered under its identifier.
    static func registrationFailed(_ error: RegistrationError) -> Self {
        Self(
            .duplicatePath, error.description,
            "Give one of the two objects another restoration identifier, " + restartInstruction)
    }

    /// An object above this object was not restored.
    static func ancestorNotRestored(_ ancestorPath: String) -> Self {
        Self(
            .ancestorNotRestored, "\(ancestorPath), which is above it, was not restored",
            "Follow the instructions in the report for \(ancestorPath).")
    }

    /// The parent's record is missing.
    static var noParentRecord: Self {
        Self(
            .ancestorNotRestored, "its parent was not saved",
            "Roll back to a generation in the history that contains both.")
    }

    /// A controller below this controller in the stack was not restored.
    static func lowerStackMemberNotRestored(_ lowerPath: String?) -> Self {
        Self(
            .stackCut,
            "\(lowerPath ?? "a controller"), which is below it in the stack, was not restored",
            "Follow the instructions in the report for \(lowerPath ?? "that controller").")
    }

    /// The object was created but is not in the object tree.
    static var notInObjectTree: Self {
        Self(
            .noObject, "it was created, but its parent no longer contains it",
            "Add it to its parent again, " + restartInstruction)
    }

    /// The delegate refused to restore the scene.
    ///
    /// - Parameter version: The version of the application that saved the scene.
    static func refusedByDelegate(savedBy version: String) -> Self {
        Self(
            .refusedByDelegate,
            "the application's delegate refused to restore state that version \(version) saved",
            "Start version \(version) of the program, or one that accepts its state; the "
                + "refused state is in the history.")
    }

    /// The object threw an error while decoding its state.
    static func decodingFailed(_ reason: String) -> Self {
        Self(
            .decodeFailed, reason,
            "Decode the value as the type that was saved, or add a migration, "
                + "then restart the program; the saved state is retained until the object changes.")
    }
}

extension UnrestoredObject {
    /// Creates the report entry for an object that was not restored because of an obstacle.
    init(_ path: String, _ obstacle: RestorationObstacle, isRepeated: Bool = false) {
        self.init(
            path: path, code: obstacle.code, detail: obstacle.detail, remedy: obstacle.remedy,
            isRepeated: isRepeated)
    }
}
