import ControllerKit
import Preservation
import RepriseControl
import StateRestoration

/// The object that a command names, and the objects above it.
struct CommandTarget {
    /// The path that the command states.
    let path: String
    /// The object.
    let entry: TreeSurvey.Entry
    /// From the scene's root to the object.
    let trail: [TreeSurvey.Entry]
    let scene: Scene

    var object: any StateRestoring { entry.object }

    /// Whose state a command changes.
    enum Holder {
        /// The object's own: where it is scrolled to, which of its rows are chosen (V1 to V7).
        case object
        /// That of a control's actions, or of its controller.
        case controller
        /// A text: the controller's to encode, unless the view saves it (V4).
        case text
        /// The model's, which is saved for itself (P19).
        case model
    }

    /// The controller of a view; else the object itself.
    private var controller: TreeSurvey.Entry? {
        guard let view = object as? View else { return entry }
        return trail.last { $0.object === view.viewController }
    }

    /// Does to the object what a person does to what has a role.
    ///
    /// - Returns: what judges after the pass whether the change is preserved.
    /// - Throws: ``ControlError`` if the object does not have the role, or refuses.
    func operate<Role>(
        _ method: String, as role: Role.Type, of holder: Holder = .object,
        _ body: (Role) throws -> Void
    ) throws -> ChangeVerdict {
        guard let object = object as? Role else { throw notApplicable(method) }
        let change = ObservedChange(self, of: holder)
        do {
            try body(object)
        } catch let error as OperationError {
            throw refusal(error, method)
        }
        return change.verdict()
    }

    /// Reason for which nothing is preserved of the object, or of what is above it; nil if it is, or
    /// will be.
    func omission(isOwn: Bool) -> String? { (isOwn ? entry.loss : nil) ?? controller?.loss }

    /// The object with its controller and those above, the nearest first.
    var holders: [any StateRestoring] {
        trail.reversed().map(\.object).filter { $0 === object || $0.restorationKind != .view }
    }

    // MARK: Errors

    /// The object is of a class that a method does not apply to.
    func notApplicable(_ method: String) -> ControlError {
        .notApplicable(path: path, class: entry.classToken, method: method)
    }

    /// The object does not do what it was asked.
    func refusal(_ error: OperationError, _ method: String) -> ControlError {
        switch error {
        case .noSuchElement(let index, let count):
            .indexOutOfRange(path: path, index: index, count: count)
        case .tooManyElements(let given, let most):
            .tooManyIndexes(path: path, given: given, most: most)
        case .noSuchModelIdentifier(let identifier):
            .noSuchModelIdentifier(path: path, identifier: identifier)
        case .notPossible(let reason):
            .notPossible(path: path, method: method, reason: reason)
        }
    }
}

extension TreeSurvey.Entry {
    /// Reason that a change of the object is lost when the daemon ends; nil if the object is
    /// preserved, or will be.
    var loss: String? {
        switch omission {
        case .noIdentifier?, .gap?, .leftOut?, .pathTooLong?, .equalSibling?:
            omission.map { "\(address) is not preserved: \($0)" }
        // The turn tells of the first by itself, and its pass ends the other two.
        case .applicationDoesNotSave?, .unrestored?, .notYetSaved?, nil: nil
        }
    }
}
