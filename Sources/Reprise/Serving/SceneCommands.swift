import ControllerKit
import RepriseControl
import StateRestoration
import Varlink

/// What commands do to a scene. Runs on the application's actor, inside a turn.
struct SceneCommands {
    private let scene: Scene
    private let survey: TreeSurvey

    init(_ scene: Scene) {
        self.scene = scene
        survey = TreeSurvey(scene)
    }

    /// What a person would see.
    func picture() -> String {
        let window = (scene.delegate as? any ApplicationDelegate)?.window
        return (window ?? Window()).drawn()
    }

    /// Every object.
    func tree() -> TreeReply {
        TreeReply(
            objects: survey.entries().map { entry in
                TreeReply.Object(
                    path: entry.address, class: entry.classToken,
                    preserved: entry.omission == nil, reason: entry.omission?.description)
            })
    }

    /// What an object saves, and what else there is to tell of it.
    func values(
        at path: String, stamp: PassStamp
    ) throws(ControlError) -> [String: StateJSON] {
        let object = try object(at: path)
        var values: [String: Value]
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

    /// The story of an object, live or only saved.
    func explanation(of path: String, stamp: PassStamp) throws(ControlError) -> ExplainReply {
        guard let explanation = ObjectStory(scene).explanation(of: path, stamp: stamp) else {
            throw .noSuchObject(path: path, nearest: survey.trail(to: path).entries.last?.address)
        }
        return ExplainReply(explanation)
    }

    /// A person types into a text field: its whole text is replaced.
    ///
    /// - Returns: why what was typed is not preserved; nil if it is.
    func type(_ text: String, at path: String) throws(ControlError) -> String? {
        let trail = try trail(to: path)
        guard let field = trail.object as? TextField else {
            throw notApplicable("type", path, trail.object)
        }
        do {
            try field.type(text, appending: false)
        } catch {
            throw notApplicable("type", path, trail.object)
        }
        return omission(of: field, trail.entries)
    }

    /// A person chooses a segment.
    ///
    /// - Returns: why the choice is not preserved; nil if it is.
    func select(_ indexes: [Int], at path: String) throws -> String? {
        let trail = try trail(to: path)
        guard let control = trail.object as? SegmentedControl else {
            throw notApplicable("select", path, trail.object)
        }
        guard let index = indexes.first else { throw VarlinkError.invalidParameter("indexes") }
        guard indexes.count == 1 else {
            throw ControlError.tooManyIndexes(path: path, given: indexes.count, most: 1)
        }
        do {
            try control.choose([index])
        } catch {
            throw ControlError.indexOutOfRange(
                path: path, index: index, count: control.segments.count)
        }
        return omission(of: control, trail.entries)
    }

    /// Why the state of a view's controller, which holds what the view shows, is not preserved.
    private func omission(of view: View, _ trail: [TreeSurvey.Entry]) -> String? {
        guard let controller = view.viewController,
            let entry = trail.last(where: { $0.object === controller })
        else { return nil }
        switch entry.omission {
        case .noIdentifier, .gap, .pathTooLong:
            return "\(entry.address) is not preserved: \(entry.omission?.description ?? "")"
        case .equalSibling, .applicationDoesNotSave, .held, .notYetSaved, nil: return nil
        }
    }

    private func object(at path: String) throws(ControlError) -> any StateRestoring {
        try trail(to: path).object
    }

    /// The object at a path, and the way to it.
    private func trail(
        to path: String
    ) throws(ControlError) -> (object: any StateRestoring, entries: [TreeSurvey.Entry]) {
        let trail = survey.trail(to: path)
        guard trail.isComplete, let last = trail.entries.last else {
            throw .noSuchObject(path: path, nearest: trail.entries.last?.address)
        }
        return (last.object, trail.entries)
    }

    private func notApplicable(
        _ method: String, _ path: String, _ object: any StateRestoring
    ) -> ControlError {
        .notApplicable(
            path: path, class: scene.classes.token(for: Swift.type(of: object)), method: method)
    }
}
