import ExactText
import StateRestoration

/// Reason why an application could not perform a request.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ApplicationError: Error, Encodable, Sendable, Equatable, CustomStringConvertible {
    /// The application has stopped or was never launched.
    case notRunning(application: String)
    /// Another host in the cluster is running the application or is about to launch it.
    case ownedElsewhere(application: String)
    /// The application could not be launched.
    case failed(application: String, reason: String)
    /// The application does not have a scene with this name. `scenes` lists the application's running and saved scenes.
    case noSuchScene(application: String, scene: String, scenes: [String])
    /// The scene has no object with this identifier and class.
    case noSuchObject(application: String, scene: String, object: String, type: String)
    /// The maximum number of commands is already waiting.
    case tooManyCommands(application: String, limit: Int)
    /// The application is already running.
    case alreadyRunning(application: String)
    /// An object ran a command during its extended restoration, and the command would have to wait for that restoration
    /// to finish (R13).
    case restoring(application: String)
    /// The application has stopped for good, because it was quit or because its program is stopping.
    case ending(application: String)
    /// ``Application/run()`` has already been called.
    case alreadyRun(application: String)
    /// A scene with this name is already running (S2).
    case sceneExists(application: String, scene: String)
    /// The name is not a valid scene name (I5).
    case invalidSceneName(application: String, scene: String, reason: String)
    /// The scene could not be launched.
    case sceneFailed(application: String, scene: String, reason: String)
    /// The scene is saved but not running.
    case sceneNotLaunched(application: String, scene: String)
    /// The scene stays open because its last state could not be saved.
    case sceneNotSaved(application: String, scene: String, reason: String)
    /// The saved state could not be added to the history and was therefore not removed (L1).
    case stateNotRemoved(application: String, reason: String)
    /// The history cannot be read.
    case historyUnreadable(application: String, reason: String)
    /// The history does not contain a generation with this name. `generations` lists the existing generations.
    case noSuchGeneration(application: String, generation: String, generations: [String])
    /// No part of the generation can be used. The reason is a sentence.
    case generationUnreadable(application: String, generation: String, reason: String)
    /// The quarantine cannot be read.
    case quarantineUnreadable(application: String, reason: String)
    /// The quarantine does not contain a file with this name.
    case notInQuarantine(application: String, name: String)
    /// The application could not be backed up. The reason is a sentence.
    case notBackedUp(application: String, reason: String)
    /// A file in the history or in quarantine was not deleted. The reason is a sentence.
    case notDeleted(application: String, name: String, reason: String)
    /// A quarantined file was not put back. The reason is a sentence.
    case notPutBack(application: String, name: String, cause: ReplacementObstacle, reason: String)
    /// The application was not rolled back to a generation, and nothing has changed.
    ///
    /// The reason is a phrase or a sentence.
    case notRolledBack(
        application: String, generation: String, cause: ReplacementObstacle, reason: String)
    /// The state was not reset, and nothing has changed.
    case notReset(application: String, cause: ReplacementObstacle, reason: String)
    /// The definition was not reloaded, and the scenes continue with the previous definition.
    case notReloaded(application: String, reason: String)

    /// Sentence that states what failed, for which application, and what to do.
    public var description: String {
        switch self {
        case .notRunning(let application):
            "\(application) is not running: call run(), or launch it again if it was quit"
        case .ownedElsewhere(let application):
            "\(application) is running on another host of its cluster"
        case .failed(let application, let reason):
            "\(application) could not be launched: \(reason)"
        case .noSuchObject(let application, let scene, let object, let type):
            "\(application) has no object \"\(object)\" of the class \(type) in its scene \"\(scene)\": "
                + "add an object with this key where the application is created"
        case .noSuchScene(let application, let scene, let scenes):
            "\(application) has no scene \"\(scene.escapingControlCharacters)\": "
                + (scenes.isEmpty ? "open one first" : "it has \(scenes.joined(separator: ", "))")
        case .tooManyCommands(let application, let limit):
            "\(application) has \(limit) commands waiting: try again later"
        case .alreadyRunning(let application):
            "\(application) is already running: quit it first"
        case .restoring(let application):
            "\(application) is being launched, and the launch waits for this command: use the "
                + "objects of the scene directly in finishRestoring(in:), or run the command "
                + "after the launch"
        case .ending(let application):
            "\(application) has stopped, because it was quit or because its program is stopping"
        case .alreadyRun(let application):
            "run() of \(application) was called before, and an application runs only once: list it once in the service "
                + "group, and create another one to run it again"
        case .sceneExists(let application, let scene):
            "\(application) already has a scene \"\(scene)\": open one with another name"
        case .invalidSceneName(let application, _, let reason):
            "\(application) cannot have a scene of that name: \(reason)"
        case .sceneFailed(let application, let scene, let reason):
            "the scene \"\(scene)\" of \(application) could not be launched: \(reason)"
        case .sceneNotLaunched(let application, let scene):
            "the scene \"\(scene)\" of \(application) is saved but not launched: open it first"
        case .sceneNotSaved(let application, let scene, let reason):
            "the scene \"\(scene)\" of \(application) stays open, because its last state could not "
                + "be saved: \(reason)"
        case .stateNotRemoved(let application, let reason):
            "the saved state of \(application) was not removed, because it could not be added to "
                + "the history: \(reason)"
        case .historyUnreadable(let application, let reason):
            "the history of \(application) cannot be read: \(reason)"
        case .noSuchGeneration(let application, let generation, let generations):
            "\(application) has no generation \"\(generation.escapingControlCharacters)\": "
                + (generations.isEmpty
                    ? "the history is empty"
                    : "the history contains \(generations.joined(separator: ", "))")
        case .generationUnreadable(let application, let generation, let reason):
            "the generation \(generation.escapingControlCharacters) of \(application) cannot be used: \(reason)"
        case .quarantineUnreadable(let application, let reason):
            "the quarantine of \(application) cannot be read: \(reason)"
        case .notInQuarantine(let application, let name):
            "\(application) has no file \"\(name.escapingControlCharacters)\" in quarantine: choose one of the "
                + "files there"
        case .notBackedUp(let application, let reason):
            "\(application) was not backed up: \(reason)"
        case .notDeleted(let application, let name, let reason):
            "\(name.escapingControlCharacters) of \(application) was not deleted: \(reason)"
        case .notPutBack(let application, let name, let cause, let reason):
            "\(name.escapingControlCharacters) was not put back into \(application) (\(cause.rawValue)): \(reason)"
        case .notRolledBack(let application, let generation, let cause, let reason):
            "\(application) was not rolled back to \(generation.escapingControlCharacters) (\(cause.rawValue)): \(reason)"
        case .notReset(let application, let cause, let reason):
            "\(application) was not reset (\(cause.rawValue)): \(reason)"
        case .notReloaded(let application, let reason):
            "\(application) was not reloaded and continues as before: \(reason); `reprisectl "
                + "reload` tries again"
        }
    }
}

extension ReplacementObstacle: Encodable {}
