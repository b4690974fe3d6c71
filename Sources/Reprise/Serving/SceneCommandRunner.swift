import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Commands that read and change a scene. They run on the application's actor, inside a turn.
///
/// Each command addresses one object or the scene as a whole.
struct SceneCommandRunner {
    let scene: Scene
    let survey: TreeSurvey

    init(_ scene: Scene) {
        self.scene = scene
        survey = TreeSurvey(scene)
    }

    /// Returns the scene as text, as a user would see it.
    func picture() -> String {
        (window ?? Window()).drawn()
    }

    /// Window of the scene, or `nil` if the launch created no window.
    var window: Window? { (scene.delegate as? any ApplicationDelegate)?.window }

    /// Returns a description of every object.
    func tree() -> TreeCall.Reply {
        .with {
            $0.objects = survey.entries().map { entry in
                .with {
                    $0.path = entry.address
                    $0.class = entry.classToken
                    $0.preserved = entry.omission == nil
                    $0.reason = entry.omission?.description
                    $0.commands = (entry.object as? any CommandProviding)?.commands.map {
                        CommandDescription($0).signature
                    }
                }
            }
        }
    }

    /// Returns the values that an object saves, and the object's other inspectable properties.
    func values(
        at path: String, passMetadata: PassMetadata
    ) throws(ControlError) -> [String: StateJSON] {
        let object = try object(at: path)
        var values: [String: StoredValue]
        do {
            values = try StateInspection(scene).values(of: object, passMetadata: passMetadata)
        } catch {
            throw .stateUnavailable(path: path, reason: String(describing: error))
        }
        if let view = object as? View { values.merge(view.inspectedProperties) { $1 } }
        if let controller = object as? ViewController {
            values.merge(controller.inspectedProperties) { saved, _ in saved }
        }
        return values.mapValues(StateJSON.init)
    }

    /// Explanation of an object, with the name of its scene.
    struct SceneExplanation: Sendable {
        let scene: RestorationIdentifier
        var explanation: Explanation
        /// Address of the nearest object on the path, or `nil` if no object on the path exists.
        let nearestAddress: String?
    }

    /// Returns the explanation of an object that exists in the scene or only in the saved state.
    func explanation(of path: String, passMetadata: PassMetadata) -> SceneExplanation {
        let trail = survey.trail(to: path, loadsViews: false)
        var explanation = ObjectExplainer(scene).explanation(of: path, passMetadata: passMetadata)
        if trail.isComplete, let entry = trail.entries.last, explanation.live?.omission == nil {
            let target = CommandTarget(path: path, entry: entry, trail: trail.entries, scene: scene)
            if let loss = target.textLoss { explanation.live?.state?.add(problem: loss) }
        }
        return SceneExplanation(
            scene: scene.name, explanation: explanation, nearestAddress: trail.entries.last?.address
        )
    }

    /// Returns the objects that the last launch found for records (R18).
    func foundObjects() -> [FoundObject] { ObjectExplainer(scene).foundObjects() }

    /// Returns the object at a path, for commands that only read. No view is loaded (P21).
    func object(at path: String) throws(ControlError) -> any StateRestoring {
        let trail = survey.trail(to: path, loadsViews: false)
        guard trail.isComplete, let entry = trail.entries.last else {
            throw .noSuchObject(path: path, nearest: trail.entries.last?.address)
        }
        return entry.object
    }

    /// Returns the object at a path, with the objects above it, for a command that operates on the object.
    ///
    /// Controllers along the path load their views, so that commands can also operate on objects that have never been
    /// shown.
    func target(at path: String) throws(ControlError) -> CommandTarget {
        let trail = survey.trail(to: path)
        guard trail.isComplete, let entry = trail.entries.last else {
            throw .noSuchObject(path: path, nearest: trail.entries.last?.address)
        }
        return CommandTarget(path: path, entry: entry, trail: trail.entries, scene: scene)
    }
}
