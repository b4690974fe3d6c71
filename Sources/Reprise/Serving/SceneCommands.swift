import ControllerKit
import Preservation
import RepriseControl
import StateRestoration

/// What commands ask of a scene and do to it. Runs on the application's actor, inside a turn.
///
/// Each command looks up one object, or is about the scene as a whole.
struct SceneCommands {
    let scene: Scene
    let survey: TreeSurvey

    init(_ scene: Scene) {
        self.scene = scene
        survey = TreeSurvey(scene)
    }

    /// What a person would see.
    func picture() -> String {
        (window ?? Window()).drawn()
    }

    /// The scene's window; nil if the launch made none.
    var window: Window? { (scene.delegate as? any ApplicationDelegate)?.window }

    /// Every object.
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

    /// What an object saves, and what else there is to tell of it.
    func values(
        at path: String, stamp: PassStamp
    ) throws(ControlError) -> [String: StateJSON] {
        let object = try object(at: path)
        var values: [String: StoredValue]
        do {
            values = try StateInspection(scene).values(of: object, stamp: stamp)
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
    struct Story: Sendable {
        let scene: RestorationIdentifier
        var explanation: Explanation
        /// Longest address above the path at which there is an object, or `nil` if there is none.
        let nearest: String?
    }

    /// Explains an object, live or only saved.
    func story(of path: String, stamp: PassStamp) -> Story {
        let trail = survey.trail(to: path, loadsViews: false)
        var explanation = ObjectStory(scene).explanation(of: path, stamp: stamp)
        if trail.isComplete, let entry = trail.entries.last, explanation.live?.omission == nil {
            let target = CommandTarget(path: path, entry: entry, trail: trail.entries, scene: scene)
            if let loss = target.textLoss { explanation.live?.state?.add(problem: loss) }
        }
        return Story(
            scene: scene.name, explanation: explanation, nearest: trail.entries.last?.address)
    }

    /// The objects that the last launch found for records (R18).
    func found() -> [FoundObject] { ObjectStory(scene).found() }

    /// The object at a path, for somebody who only looks: no view is loaded (P21).
    func object(at path: String) throws(ControlError) -> any StateRestoring {
        let trail = survey.trail(to: path, loadsViews: false)
        guard trail.isComplete, let entry = trail.entries.last else {
            throw .noSuchObject(path: path, nearest: trail.entries.last?.address)
        }
        return entry.object
    }

    /// The object at a path that a command operates, and the way to it. Controllers on the way load
    /// their views, so that what was never shown can be operated too.
    func target(at path: String) throws(ControlError) -> CommandTarget {
        let trail = survey.trail(to: path)
        guard trail.isComplete, let entry = trail.entries.last else {
            throw .noSuchObject(path: path, nearest: trail.entries.last?.address)
        }
        return CommandTarget(path: path, entry: entry, trail: trail.entries, scene: scene)
    }
}
