package import ControllerKit
import ExactText
package import PositionedYAML
package import StateRestoration

/// An application's storyboards, which can refer to each other.
///
/// During a launch, the engine uses the collection to create recorded controllers (R3).
package struct StoryboardCollection: StoryboardInstantiating {
    /// The storyboards, in the order of their definitions.
    package let storyboards: [YAMLStoryboard]

    /// Links storyboard definitions with each other and with their classes.
    ///
    /// Each linked storyboard can create all of its controllers.
    ///
    /// - Throws: The errors for all invalid names, classes, references, identifiers and properties, with their
    ///   positions.
    package init(
        _ definitions: [StoryboardDefinition], classes: ClassRegistry
    ) throws(PositionedErrors) {
        let linkedStoryboards = LinkedStoryboards(definitions, classes)
        try StoryboardCollectionChecker.check(linkedStoryboards)
        storyboards = definitions.compactMap { linkedStoryboards.storyboard(named: $0.name.value) }
    }

    /// Returns the storyboard with the given name.
    ///
    /// - Throws: ``UnknownStoryboardError`` if no storyboard has this name.
    package func storyboard(named name: String) throws(UnknownStoryboardError) -> YAMLStoryboard {
        guard let storyboard = storyboards.first(where: { $0.name == name }) else {
            throw UnknownStoryboardError(name: name, knownNames: storyboards.map(\.name))
        }
        return storyboard
    }

    /// Creates a controller from the recorded storyboard, or returns `nil` if the storyboard or the controller is
    /// unknown.
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
