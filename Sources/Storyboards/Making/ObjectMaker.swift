import ControllerKit
import PositionedYAML
import StateRestoration

/// A maker of a storyboard's controllers and views, with their identifiers and properties.
///
/// Problems are reported to the log, and the object is created as completely as possible.
struct ObjectMaker {
    let classes: ClassRegistry
    let log: ProblemLog

    func makeController(_ stated: ObjectDefinition) -> ViewController? {
        let controller = make(stated, ViewController.self, "view controller")
        controller?.restorationIdentifier = stated.restorationIdentifier?.value
        return controller
    }

    func makeView(_ stated: ObjectDefinition) -> View? {
        makeView(stated, View.self, "view")
    }

    func makeBarButtonItem(_ stated: ObjectDefinition) -> BarButtonItem? {
        makeView(stated, BarButtonItem.self, "bar button item")
    }

    private func makeView<Made: View>(
        _ stated: ObjectDefinition, _ type: Made.Type, _ kind: String
    ) -> Made? {
        let view = make(stated, type, kind)
        view?.restorationIdentifier = stated.restorationIdentifier?.value
        return view
    }

    private func make<Made: StoryboardConfigurable>(
        _ stated: ObjectDefinition, _ type: Made.Type, _ kind: String
    ) -> Made? {
        let name = stated.className.value
        guard let object = classes.makeObject(name) else {
            let known = classes.constructibleTokens
            let remedy = Spelling.remedy(
                for: name, among: known,
                otherwise: "the known classes are \(known.joined(separator: ", ")).")
            log.report(
                "\(stated.path).class is \(Quotation(name)), which is an unknown class: \(remedy)",
                at: stated.className.position)
            return nil
        }
        guard let made = object as? Made else {
            log.report(
                "\(stated.path).class is \(Quotation(name)), which is not a \(kind): "
                    + "write the class of a \(kind).",
                at: stated.className.position)
            return nil
        }
        configure(made, stated)
        return made
    }

    private func configure(_ object: any StoryboardConfigurable, _ stated: ObjectDefinition) {
        for property in stated.properties {
            do {
                try object.setProperty(property.name.value, to: property.value.value)
            } catch {
                report(error, of: property, stated)
            }
        }
    }

    private func report(
        _ error: PropertyError, of property: ObjectDefinition.Property, _ stated: ObjectDefinition
    ) {
        let name = property.name.value
        switch error {
        case .unknownProperty(let known):
            let names = known.joined(separator: ", ")
            let remedy = Spelling.remedy(
                for: name, among: stated.fixedKeys + known,
                otherwise: "remove it; a \(stated.className.value) has \(names).")
            log.report(
                "the key \(Quotation(name)) is unknown in \(stated.path): \(remedy)",
                at: property.name.position)
        case .invalidValue(let reason):
            log.report(
                "\(stated.path).\(name) is not valid: \(reason).", at: property.value.position)
        }
    }
}
