import ControllerKit
import PositionedYAML
import StateRestoration

/// Makes one controller or view of a storyboard, with its identifier and its properties.
///
/// Everything that is wrong with it goes to the log; the object is made as far as it can be.
struct ObjectMaker {
    private let classes: ClassRegistry
    private let log: ProblemLog

    init(_ classes: ClassRegistry, _ log: ProblemLog) {
        self.classes = classes
        self.log = log
    }

    func makeController(_ stated: ObjectDefinition) -> ViewController? {
        let controller = make(stated, ViewController.self, "view controller")
        controller?.restorationIdentifier = stated.restorationIdentifier?.value
        return controller
    }

    func makeView(_ stated: ObjectDefinition) -> View? {
        let view = make(stated, View.self, "view")
        view?.restorationIdentifier = stated.restorationIdentifier?.value
        return view
    }

    func makeBarButtonItem(_ stated: ObjectDefinition) -> BarButtonItem? {
        let item = make(stated, BarButtonItem.self, "bar button item")
        item?.restorationIdentifier = stated.restorationIdentifier?.value
        return item
    }

    private func make<Made: StoryboardConfigurable>(
        _ stated: ObjectDefinition, _ type: Made.Type, _ kind: String
    ) -> Made? {
        let name = stated.className.value
        guard let object = classes.makeObject(name) else {
            let meant = Spelling.closest(to: name, among: classes.constructibleTokens)
            let remedy =
                meant.map { "did you mean \(Quotation($0))?" }
                ?? "the classes here are \(classes.constructibleTokens.joined(separator: ", "))."
            log.report(
                "\(stated.path).class is \(Quotation(name)), a class that is unknown: \(remedy)",
                at: stated.className.position)
            return nil
        }
        guard let made = object as? Made else {
            log.report(
                "\(stated.path).class is \(Quotation(name)), which is no \(kind): "
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
        switch error {
        case .unknownProperty(let known):
            reportUnknown(property, stated, known)
        case .invalidValue(let reason):
            log.report(
                "\(stated.path).\(property.name.value) does not fit: \(reason).",
                at: property.value.position)
        }
    }

    private func reportUnknown(
        _ property: ObjectDefinition.Property, _ stated: ObjectDefinition, _ known: [String]
    ) {
        let name = property.name.value
        let meant = Spelling.closest(to: name, among: stated.fixedKeys + known)
        let remedy =
            meant.map { "did you mean \(Quotation($0))?" }
            ?? "take it out; a \(stated.className.value) has \(known.joined(separator: ", "))."
        log.report(
            "the key \(Quotation(name)) is unknown in \(stated.path): \(remedy)",
            at: property.name.position)
    }
}
