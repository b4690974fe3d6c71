package import ControllerKit
import ExactText
package import PositionedYAML
package import StateRestoration

/// An application's storyboards, which may lead to each other, and in which a recorded controller
/// is looked for (R3).
package struct StoryboardCollection: StoryboardFinding {
    /// The storyboards, in the order in which they were given.
    package let storyboards: [YAMLStoryboard]

    /// Links definitions with each other and with the classes that they name.
    ///
    /// - Throws: every name, class, reference, identifier and property that is wrong in any of
    ///   them, each with file, line and column. Storyboards that were linked can make each of their
    ///   controllers.
    package init(
        _ definitions: [StoryboardDefinition], classes: ClassRegistry
    ) throws(PositionedErrors) {
        let linked = LinkedStoryboards(definitions, classes)
        try CollectionChecker.check(linked)
        storyboards = definitions.compactMap { linked.storyboard(named: $0.name.value) }
    }

    /// The storyboard of this name.
    ///
    /// - Throws: ``UnknownStoryboard`` if there is none.
    package func storyboard(named name: String) throws(UnknownStoryboard) -> YAMLStoryboard {
        guard let storyboard = storyboards.first(where: { $0.name == name }) else {
            throw UnknownStoryboard(name: name, known: storyboards.map(\.name))
        }
        return storyboard
    }

    /// A new controller from the storyboard of that name; nil if there is none.
    package func instantiateViewController(
        _ origin: StoryboardOrigin
    ) -> (any StateRestoring)? {
        do {
            return try storyboard(named: origin.name)
                .instantiateViewController(withIdentifier: origin.identifier)
        } catch {
            return nil  // The engine reports the record as `storyboard-missing`.
        }
    }
}
