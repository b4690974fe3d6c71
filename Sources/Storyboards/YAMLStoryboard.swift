package import ControllerKit
package import PositionedYAML
package import StateRestoration

/// A storyboard from a YAML file, which makes controllers with their views and children.
package final class YAMLStoryboard: Storyboard {
    private let definition: StoryboardDefinition
    private let classes: ClassRegistry

    /// Links a definition with the classes it names.
    ///
    /// - Throws: every class, reference, identifier and property that is wrong, each with line and
    ///   column. A storyboard that was linked can make each of its controllers.
    package init(
        _ definition: StoryboardDefinition, classes: ClassRegistry
    ) throws(PositionedErrors) {
        self.definition = definition
        self.classes = classes
        let log = ProblemLog()
        StoryboardChecker(definition, classes, log).check()
        try log.throwIfAny()
    }

    /// The storyboard's name.
    package var name: String { definition.name }

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
        guard let stated = definition.controllers.first(where: { $0.name.value == identifier })
        else {
            throw UnknownControllerError(
                storyboard: name, identifier: identifier,
                known: definition.controllers.map(\.name.value))
        }
        let controller = try ObjectMaker(classes).makeController(stated)
        controller.wasMade(by: self, as: identifier)
        let children = try stated.children.map {
            try instantiateViewController(withIdentifier: $0.value)
        }
        controller.setStoryboardChildren(children)
        for view in stated.views {
            controller.addOutlet(view.name.value, try makeView(view))
        }
        return controller
    }

    private func makeView(_ stated: ObjectDefinition) throws -> View {
        let view = try ObjectMaker(classes).makeView(stated)
        view.restoration.storyboard = StoryboardOrigin(
            name: name, identifier: stated.name.value)
        for inner in stated.views { view.addSubview(try makeView(inner)) }
        return view
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

/// An application's storyboards, in which a recorded controller is looked for (R3).
package struct StoryboardCollection: StoryboardFinding {
    /// The storyboards.
    package let storyboards: [YAMLStoryboard]

    /// A collection of these storyboards.
    package init(_ storyboards: [YAMLStoryboard]) {
        self.storyboards = storyboards
    }

    /// A new controller from the storyboard of that name; nil if there is none.
    package func instantiateViewController(
        _ origin: StoryboardOrigin
    ) -> (any StateRestoring)? {
        guard let storyboard = storyboards.first(where: { $0.name == origin.name }) else {
            return nil
        }
        do {
            return try storyboard.instantiateViewController(withIdentifier: origin.identifier)
        } catch {
            return nil  // The engine reports the record as `storyboard-missing`.
        }
    }
}
