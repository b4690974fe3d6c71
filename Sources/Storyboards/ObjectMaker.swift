import ControllerKit
import PositionedYAML
import StateRestoration

/// Makes one controller or view of a storyboard, with its identifier and its properties.
struct ObjectMaker {
    private let classes: ClassRegistry

    init(_ classes: ClassRegistry) {
        self.classes = classes
    }

    func makeController(_ stated: ObjectDefinition) throws(PositionedErrors) -> ViewController {
        let controller = try make(stated, ViewController.self, "view controller")
        controller.restorationIdentifier = stated.restorationIdentifier?.value
        try configure(controller, stated)
        return controller
    }

    func makeView(_ stated: ObjectDefinition) throws(PositionedErrors) -> View {
        let view = try make(stated, View.self, "view")
        view.restorationIdentifier = stated.restorationIdentifier?.value
        try configure(view, stated)
        return view
    }

    private func make<Made>(
        _ stated: ObjectDefinition, _ type: Made.Type, _ kind: String
    ) throws(PositionedErrors) -> Made {
        let name = stated.className.value
        guard let object = classes.makeObject(name) else {
            let meant = Spelling.closest(to: name, among: classes.constructibleTokens)
            let remedy =
                meant.map { "did you mean \(Quotation($0))?" }
                ?? "the classes here are \(classes.constructibleTokens.joined(separator: ", "))."
            throw error(
                "\(stated.path).class is \(Quotation(name)), a class that is unknown: \(remedy)",
                at: stated.className.position)
        }
        guard let made = object as? Made else {
            throw error(
                "\(stated.path).class is \(Quotation(name)), which is no \(kind): "
                    + "write the class of a \(kind).",
                at: stated.className.position)
        }
        return made
    }

    private func configure(
        _ object: any StoryboardConfigurable, _ stated: ObjectDefinition
    ) throws(PositionedErrors) {
        for property in stated.properties {
            do {
                try object.setProperty(property.name.value, to: property.value.value)
            } catch {
                throw refusal(error, of: property, stated)
            }
        }
    }

    private func refusal(
        _ error: PropertyError, of property: ObjectDefinition.Property, _ stated: ObjectDefinition
    ) -> PositionedErrors {
        switch error {
        case .unknownProperty(let known):
            unknown(property, stated, known)
        case .invalidValue(let reason):
            self.error(
                "\(stated.path).\(property.name.value) does not fit: \(reason).",
                at: property.value.position)
        }
    }

    private func unknown(
        _ property: ObjectDefinition.Property, _ stated: ObjectDefinition, _ known: [String]
    ) -> PositionedErrors {
        let name = property.name.value
        let fixed = ["class", "restorationIdentifier", "children", "views"]
        let keys = fixed.filter { $0 != name } + known
        let meant = Spelling.closest(to: name, among: keys)
        let remedy =
            meant.map { "did you mean \(Quotation($0))?" }
            ?? "take it out; a \(stated.className.value) has \(known.joined(separator: ", "))."
        return error(
            "the key \(Quotation(name)) is unknown in \(stated.path): \(remedy)",
            at: property.name.position)
    }

    private func error(_ message: String, at position: SourcePosition) -> PositionedErrors {
        PositionedErrors([PositionedError(message, at: position)])
    }
}
