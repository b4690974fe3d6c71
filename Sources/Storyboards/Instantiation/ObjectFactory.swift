import ControllerKit
import PositionedYAML
import StateRestoration

/// A factory that creates a storyboard's controllers and views with their identifiers and properties.
///
/// Problems are reported to the log, and the object is created as completely as possible.
struct ObjectFactory {
    let classes: ClassRegistry
    let log: ProblemLog

    func makeController(_ definition: ObjectDefinition) -> ViewController? {
        let controller = makeInstance(definition, ViewController.self, "view controller")
        controller?.restorationIdentifier = definition.restorationIdentifier?.value
        return controller
    }

    func makeView(_ definition: ObjectDefinition) -> View? {
        makeView(definition, View.self, "view")
    }

    func makeBarButtonItem(_ definition: ObjectDefinition) -> BarButtonItem? {
        makeView(definition, BarButtonItem.self, "bar button item")
    }

    private func makeView<Instance: View>(
        _ definition: ObjectDefinition, _ type: Instance.Type, _ kind: String
    ) -> Instance? {
        let view = makeInstance(definition, type, kind)
        view?.restorationIdentifier = definition.restorationIdentifier?.value
        return view
    }

    private func makeInstance<Instance: StoryboardConfigurable>(
        _ definition: ObjectDefinition, _ type: Instance.Type, _ kind: String
    ) -> Instance? {
        let name = definition.className.value
        guard let object = classes.makeObject(name) else {
            let knownClasses = classes.constructibleTokens
            let remedy = SpellingSuggestions.remedy(
                for: name, among: knownClasses,
                otherwise: "the known classes are \(knownClasses.joined(separator: ", ")).")
            log.report(
                "\(definition.path).class is \(Quotation(name)), which is an unknown class: \(remedy)",
                at: definition.className.position)
            return nil
        }
        guard let instance = object as? Instance else {
            log.report(
                "\(definition.path).class is \(Quotation(name)), which is not a \(kind): "
                    + "write the class of a \(kind).",
                at: definition.className.position)
            return nil
        }
        configure(instance, definition)
        return instance
    }

    private func configure(_ object: any StoryboardConfigurable, _ definition: ObjectDefinition) {
        for property in definition.properties {
            do {
                try object.setProperty(property.name.value, to: property.value.value)
            } catch {
                report(error, of: property, definition)
            }
        }
    }

    private func report(
        _ error: PropertyError, of property: ObjectDefinition.Property,
        _ definition: ObjectDefinition
    ) {
        let name = property.name.value
        switch error {
        case .unknownProperty(let knownProperties):
            let names = knownProperties.joined(separator: ", ")
            let remedy = SpellingSuggestions.remedy(
                for: name, among: definition.nonPropertyKeys + knownProperties,
                otherwise: "remove it; a \(definition.className.value) has \(names).")
            log.report(
                "the key \(Quotation(name)) is unknown in \(definition.path): \(remedy)",
                at: property.name.position)
        case .invalidValue(let reason):
            log.report(
                "\(definition.path).\(name) is not valid: \(reason).", at: property.value.position)
        }
    }
}
