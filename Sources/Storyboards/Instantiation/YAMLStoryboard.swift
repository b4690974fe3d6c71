package import ControllerKit
import PositionedYAML
import StateRestoration

/// A storyboard that is defined in a YAML file and creates controllers with their views and children.
///
/// The storyboard belongs to a ``StoryboardCollection``, which has checked it.
package final class YAMLStoryboard: Storyboard {
    private let definition: StoryboardDefinition
    private let linkedStoryboards: LinkedStoryboards

    init(_ definition: StoryboardDefinition, in linkedStoryboards: LinkedStoryboards) {
        self.definition = definition
        self.linkedStoryboards = linkedStoryboards
    }

    /// The storyboard's name.
    package var name: String { definition.name.value }

    /// Creates the file's initial controller.
    package func instantiateInitialViewController() throws -> ViewController {
        try instantiateViewController(withIdentifier: definition.initialControllerName.value)
    }

    /// Creates a controller with its children and its views from the file, without loading any controller's `view`.
    ///
    /// - Throws: ``UnknownControllerError`` if the file does not define a controller with this name.
    package func instantiateViewController(
        withIdentifier identifier: String
    ) throws -> ViewController {
        guard let controllerDefinition = definition.controller(identifier) else {
            throw UnknownControllerError(
                storyboard: name, identifier: identifier,
                knownNames: definition.controllers.map(\.name))
        }
        let log = ProblemLog()
        let controller = ControllerFactory(
            storyboard: self,
            objectFactory: ObjectFactory(classes: linkedStoryboards.classes, log: log)
        ).makeController(controllerDefinition)
        try log.throwReportedProblems()
        guard let controller else {
            preconditionFailure(
                "\(controllerDefinition.path) is not valid, but no problem was reported")
        }
        controller.addStoryboardChildren(try controllerDefinition.children.map(instantiateChild))
        return controller
    }

    private func instantiateChild(_ reference: ControllerReference) throws -> ViewController {
        let definingStoryboard =
            reference.storyboardName.map { linkedStoryboards.storyboard(named: $0.value) } ?? self
        guard let definingStoryboard else {
            throw UnknownStoryboardError(
                name: reference.storyboardName?.value ?? "", knownNames: linkedStoryboards.names)
        }
        return try definingStoryboard.instantiateViewController(
            withIdentifier: reference.name.value)
    }

    /// Returns a storyboard in the same collection, or `nil` if no storyboard has this name.
    package func storyboard(named name: String) -> (any Storyboard)? {
        linkedStoryboards.storyboard(named: name)
    }
}

/// An error for a controller that a storyboard does not define.
package struct UnknownControllerError: Error, CustomStringConvertible {
    /// The storyboard's name.
    package let storyboard: String
    /// The requested name.
    package let identifier: String
    /// The names of the controllers in the storyboard.
    package let knownNames: [String]

    /// A sentence that contains the requested name and the known names.
    package var description: String {
        "the storyboard \(storyboard) has no controller \"\(identifier)\": "
            + "it has \(knownNames.joined(separator: ", "))"
    }
}
