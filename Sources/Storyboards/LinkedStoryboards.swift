import ExactText
import PositionedYAML
import StateRestoration

/// The storyboards of a collection by their names, and the classes that they name.
///
/// Storyboards hold it, and it does not hold them: one that nobody uses any more goes, and is made
/// anew when it is named again.
final class LinkedStoryboards {
    let definitions: [StoryboardDefinition]
    let classes: ClassRegistry
    private var made: [ExactString: Made] = [:]

    private struct Made {
        weak var storyboard: YAMLStoryboard?
    }

    init(_ definitions: [StoryboardDefinition], _ classes: ClassRegistry) {
        self.definitions = definitions
        self.classes = classes
    }

    /// The storyboards' names, in their order.
    var names: [String] { definitions.map(\.name.value) }

    /// The definition of the storyboard of this name; nil if there is none.
    func definition(named name: String) -> StoryboardDefinition? {
        definitions.first { $0.name.value == name }
    }

    /// The storyboard in which a reference's controller is looked for; nil if there is none of the
    /// name that the reference gives.
    func stating(
        _ reference: ControllerReference, from definition: StoryboardDefinition
    ) -> StoryboardDefinition? {
        guard let storyboard = reference.storyboard else { return definition }
        return self.definition(named: storyboard.value)
    }

    /// The controller that a reference leads to; nil if there is none.
    func controller(
        _ reference: ControllerReference, from definition: StoryboardDefinition
    ) -> ControllerDefinition? {
        stating(reference, from: definition)?.controller(reference.name.value)
    }

    /// The storyboard of this name, the same one for as long as somebody uses it; nil if there is
    /// none.
    func storyboard(named name: String) -> YAMLStoryboard? {
        if let storyboard = made[name]?.storyboard { return storyboard }
        guard let definition = definition(named: name) else { return nil }
        let storyboard = YAMLStoryboard(definition, in: self)
        made[name] = Made(storyboard: storyboard)
        return storyboard
    }
}
