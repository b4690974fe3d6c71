import ControllerKit
import Preservation
import RepriseControl
import StateRestoration

/// Object that a command operates on, with the objects above it.
final class CommandTarget {
    /// Path in the command.
    let path: String
    /// Object at the path.
    let entry: TreeSurvey.Entry
    let scene: Scene
    /// Objects from the root of the scene to the object at the path.
    private let objectsOnPath: [TreeSurvey.Entry]
    /// Controller of the view at the path, or the object itself if it is not a view.
    private lazy var controller: TreeSurvey.Entry? = {
        guard let viewController = (object as? View).map(\.viewController) else { return entry }
        return objectsOnPath.last { $0.object === viewController }
    }()
    /// The object itself, followed by the controllers and registered objects above it, nearest first.
    private(set) lazy var stateOwnerCandidates = objectsOnPath.reversed().map(\.object).filter {
        $0 === object || $0.restorationKind != .view
    }

    var object: any StateRestoring { entry.object }

    /// Creates a target.
    ///
    /// - Parameter objectsOnPath: The objects from the root of the scene to the object at the path.
    init(path: String, entry: TreeSurvey.Entry, objectsOnPath: [TreeSurvey.Entry], scene: Scene) {
        self.path = path
        self.entry = entry
        self.scene = scene
        self.objectsOnPath = objectsOnPath
    }

    /// Owner of the state that a command changes.
    enum StateOwner {
        /// The object itself, which stores its scroll position or its selected rows (V1 to V7).
        case object
        /// The controller, or any other object that the control's actions change.
        case controller
        /// The controller that encodes the text, unless the view itself saves the text (V4).
        case text
        /// The model, which is saved separately (P19).
        case model
    }

    /// Performs a user operation on the object.
    ///
    /// - Returns: A function that checks, after the pass, whether the change is preserved.
    /// - Throws: ``ControlError`` if the object does not support the operation or refuses to perform it.
    func operate<Role>(
        _ method: String, as role: Role.Type, of stateOwner: StateOwner = .object,
        _ body: (Role) throws -> Void
    ) throws -> PersistenceCheck {
        guard let object = object as? Role else { throw notApplicableError(method) }
        let observer = ChangePersistenceObserver(self, of: stateOwner)
        do {
            try body(object)
        } catch let error as OperationError {
            throw refusalError(error, method)
        }
        return observer.makeCheck()
    }

    /// Returns the reason why the object or its controller is not preserved, or `nil` if both are or will be preserved.
    ///
    /// - Parameter includingObject: Whether to check the object itself in addition to its controller.
    func omissionReason(includingObject: Bool) -> String? {
        (includingObject ? entry.lossReason : nil) ?? controller?.lossReason
    }

    // MARK: Errors

    /// Returns the error for a method that does not apply to the object's class.
    func notApplicableError(_ method: String) -> ControlError {
        .notApplicable(path: path, class: entry.classToken, method: method)
    }

    /// Returns the error for an operation that the object refuses.
    func refusalError(_ error: OperationError, _ method: String) -> ControlError {
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
    /// Reason why changes to the object are lost when the daemon stops, or `nil` if the object is or will be preserved.
    var lossReason: String? {
        switch omission {
        case .noIdentifier?, .ancestorWithoutIdentifier?, .ancestorOmitted?, .pathTooLong?,
            .siblingHasSameIdentifier?:
            omission.map { "\(address) is not preserved: \($0)" }
        // The turn itself reports that the application does not save, and the pass in the turn resolves the other two
        // reasons.
        case .applicationDoesNotSave?, .unrestored?, .notYetSaved?, nil: nil
        }
    }
}
