package import ControllerKit
import PositionedYAML
import StateRestoration

/// A storyboard from a YAML file, which makes controllers with their views and children.
///
/// It is one of a ``StoryboardCollection``, which found nothing wrong with it.
package final class YAMLStoryboard: Storyboard {
    private let definition: StoryboardDefinition
    private let linked: LinkedStoryboards

    init(_ definition: StoryboardDefinition, in linked: LinkedStoryboards) {
        self.definition = definition
        self.linked = linked
    }

    /// The storyboard's name.
    package var name: String { definition.name.value }

    /// The controller that the file names as the first.
    package func instantiateInitialViewController() throws -> ViewController {
        try instantiateViewController(withIdentifier: definition.initial.value)
    }

    /// A new controller with its views and its children; no view is loaded.
    ///
    /// - Throws: ``UnknownControllerError`` if the file states no controller of that name.
    package func instantiateViewController(
        withIdentifier identifier: String
    ) throws -> ViewController {
        guard let stated = definition.controller(identifier) else {
            throw UnknownControllerError(
                storyboard: name, identifier: identifier,
                known: definition.controllers.map(\.name))
        }
        let log = ProblemLog()
        let made = ControllerMaker(
            storyboard: self, maker: ObjectMaker(classes: linked.classes, log: log)
        ).make(stated)
        try log.throwIfAny()
        guard let made else { preconditionFailure("\(stated.path) is wrong for no reason") }
        made.addStoryboardChildren(try stated.children.map(child))
        return made
    }

    private func child(_ reference: ControllerReference) throws -> ViewController {
        let other = reference.storyboard.map { linked.storyboard(named: $0.value) } ?? self
        guard let other else {
            throw UnknownStoryboard(
                name: reference.storyboard?.value ?? "", known: linked.names)
        }
        return try other.instantiateViewController(withIdentifier: reference.name.value)
    }

    /// Another storyboard of the collection.
    package func storyboard(named name: String) -> (any Storyboard)? {
        linked.storyboard(named: name)
    }
}

/// A controller that a storyboard does not state.
package struct UnknownControllerError: Error, CustomStringConvertible {
    /// The storyboard's name.
    package let storyboard: String
    /// The name that was asked for.
    package let identifier: String
    /// The names that there are.
    package let known: [String]

    /// One sentence naming all of them.
    package var description: String {
        "the storyboard \(storyboard) has no controller \"\(identifier)\": "
            + "it has \(known.joined(separator: ", "))"
    }
}
