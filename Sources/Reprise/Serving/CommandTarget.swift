import ControllerKit
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

    var object: any StateRestoring { entry.object }

    /// Whose state a command changes.
    enum Holder {
        /// The object itself: where it is scrolled to, which of its rows are chosen (V1 to V7).
        case object
        /// The object, or the controller that a view belongs to: what the view shows is its to
        /// encode.
        case controller
        /// The model, which is saved for itself (P19).
        case model
    }

    /// Reason that a command's change is not preserved; nil if it is, or will be.
    func omission(of holder: Holder) -> String? {
        switch holder {
        case .object: entry.loss ?? controller?.loss
        case .controller: controller?.loss
        case .model: nil
        }
    }

    /// The controller of a view; else the object itself.
    private var controller: TreeSurvey.Entry? {
        guard let view = object as? View else { return entry }
        return trail.last { $0.object === view.viewController }
    }

    /// Does to the object what a person does to what has a role.
    ///
    /// - Returns: why what was changed is not preserved; nil if it is.
    /// - Throws: ``ControlError`` if the object does not have the role, or refuses.
    func operate<Role>(
        _ method: String, as role: Role.Type, of holder: Holder = .object,
        _ body: (Role) throws -> Void
    ) throws -> String? {
        guard let object = object as? Role else { throw notApplicable(method) }
        do {
            try body(object)
        } catch let error as OperationError {
            throw refusal(error, method)
        }
        return omission(of: holder)
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
