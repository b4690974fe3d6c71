import ExactText
import PositionedYAML
import StateRestoration

/// The storyboards in a collection, with the classes that they use.
///
/// Storyboards hold a strong reference to this object, and this object holds weak references to them. An unused
/// storyboard is deallocated, and is recreated at the next request.
final class LinkedStoryboards {
    let definitions: [StoryboardDefinition]
    let classes: ClassRegistry
    private var instancesByName: [ExactString: WeakStoryboard] = [:]

    private struct WeakStoryboard {
        weak var storyboard: YAMLStoryboard?
    }

    init(_ definitions: [StoryboardDefinition], _ classes: ClassRegistry) {
        self.definitions = definitions
        self.classes = classes
    }

    /// The names of the storyboards, in the order of ``definitions``.
    var names: [String] { definitions.map(\.name.value) }

    /// Returns the definition of the storyboard with the given name, or `nil` if no storyboard has this name.
    func definition(named name: String) -> StoryboardDefinition? {
        definitions.first { $0.name.value == name }
    }

    /// Returns the storyboard that should define a referenced controller, or `nil` if the storyboard is unknown.
    func definingStoryboard(
        _ reference: ControllerReference, from definition: StoryboardDefinition
    ) -> StoryboardDefinition? {
        guard let storyboardName = reference.storyboardName else { return definition }
        return self.definition(named: storyboardName.value)
    }

    /// Returns the referenced controller, or `nil` if it is not defined.
    func controller(
        _ reference: ControllerReference, from definition: StoryboardDefinition
    ) -> ControllerDefinition? {
        definingStoryboard(reference, from: definition)?.controller(reference.name.value)
    }

    /// Returns the storyboard with the given name, or `nil` if no storyboard has this name.
    ///
    /// As long as a storyboard is in use, each call returns the same instance.
    func storyboard(named name: String) -> YAMLStoryboard? {
        if let storyboard = instancesByName[name]?.storyboard { return storyboard }
        guard let definition = definition(named: name) else { return nil }
        let storyboard = YAMLStoryboard(definition, in: self)
        instancesByName[name] = WeakStoryboard(storyboard: storyboard)
        return storyboard
    }
}
