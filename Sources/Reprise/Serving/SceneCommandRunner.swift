import ControllerKit
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Commands that read and change a scene.
///
/// The commands run on the application's actor, inside a turn.
///
/// Each command applies to one object or to the scene as a whole.
struct SceneCommandRunner {
    let scene: Scene
    let survey: TreeSurvey

    init(_ scene: Scene) {
        self.scene = scene
        survey = TreeSurvey(scene)
    }

    /// Returns the scene as text, as a user would see it.
    func renderedText() -> String {
        (window ?? Window()).drawn()
    }

    /// Window of the scene, or `nil` if the launch did not create one.
    var window: Window? { (scene.delegate as? any ApplicationDelegate)?.window }

    /// Returns a description of every object.
    func tree() -> TreeCall.Reply {
        let objects = survey.entries().map { entry in
            TreeObject(
                path: entry.address, class: entry.classToken, preserved: entry.omission == nil,
                reason: entry.omission?.description,
                commands: (entry.object as? any CommandProviding)?.commands.map {
                    CommandDescription($0).signature
                })
        }
        return TreeCall.Reply(objects: objects)
    }

    /// Returns the values that an object saves, and the object's other inspectable properties.
    func values(
        at path: String, passMetadata: PassMetadata
    ) throws(ControlError) -> [String: StateJSON] {
        let object = try target(at: path, loadsViews: false).object
        var values = try savedValues(of: object, at: path, passMetadata)
        if let view = object as? View { values.merge(view.inspectedProperties) { $1 } }
        if let controller = object as? ViewController {
            values.merge(controller.inspectedProperties) { saved, _ in saved }
        }
        return values.mapValues(StateJSON.init)
    }

    /// Returns the value that ``values(at:passMetadata:)`` contains for a key, or `nil` if it contains none.
    func value(
        of key: String, at path: String, passMetadata: PassMetadata
    ) throws(ControlError) -> StateJSON? {
        let object = try target(at: path, loadsViews: false).object
        if let value = (object as? View)?.inspectedValue(of: key) { return StateJSON(value) }
        let savedValue = try savedValues(of: object, at: path, passMetadata)[key]
        return (savedValue ?? (object as? ViewController)?.inspectedValue(of: key))
            .map(StateJSON.init)
    }

    private func savedValues(
        of object: any StateRestoring, at path: String, _ passMetadata: PassMetadata
    ) throws(ControlError) -> [String: StoredValue] {
        do {
            return try StateInspection(scene).values(of: object, passMetadata: passMetadata)
        } catch {
            throw .stateUnavailable(path: path, reason: String(describing: error))
        }
    }

    /// Returns the explanation of an object, with the name of the scene.
    ///
    /// The object may exist only in the saved state.
    ///
    /// `nearestAddress` is the address of the last existing object on the path, or `nil` if no object on the path
    /// exists.
    func explanation(
        of path: String, passMetadata: PassMetadata
    ) -> (scene: RestorationIdentifier, explanation: Explanation, nearestAddress: String?) {
        let objectsOnPath = survey.objectsOnPath(to: path, loadsViews: false)
        var explanation = ObjectExplainer(scene).explanation(of: path, passMetadata: passMetadata)
        if objectsOnPath.isComplete, let entry = objectsOnPath.entries.last,
            explanation.liveObject?.omission == nil
        {
            let target = CommandTarget(
                path: path, entry: entry, objectsOnPath: objectsOnPath.entries, scene: scene)
            if let loss = target.textLossReason {
                explanation.liveObject?.state?.add(problem: loss)
            }
        }
        return (scene.name, explanation, objectsOnPath.entries.last?.address)
    }

    /// Returns the object at a path, with the objects above it.
    ///
    /// - Parameter loadsViews: Whether controllers on the path load their views, so that commands can also operate on
    ///   objects that have never been shown. Read-only commands load no views (P21).
    func target(at path: String, loadsViews: Bool = true) throws(ControlError) -> CommandTarget {
        let objectsOnPath = survey.objectsOnPath(to: path, loadsViews: loadsViews)
        guard objectsOnPath.isComplete, let entry = objectsOnPath.entries.last else {
            throw .noSuchObject(path: path, nearest: objectsOnPath.entries.last?.address)
        }
        return CommandTarget(
            path: path, entry: entry, objectsOnPath: objectsOnPath.entries, scene: scene)
    }
}
