import ControllerKit
import ExactText
import PositionedYAML
import StateRestoration

/// A checker for problems that would prevent a storyboard from creating its controllers.
struct StoryboardChecker {
    let definition: StoryboardDefinition
    let linkedStoryboards: LinkedStoryboards
    let log: ProblemLog
    private let objectFactory: ObjectFactory

    init(
        _ definition: StoryboardDefinition, _ linkedStoryboards: LinkedStoryboards,
        _ log: ProblemLog
    ) {
        self.definition = definition
        self.linkedStoryboards = linkedStoryboards
        self.log = log
        objectFactory = ObjectFactory(classes: linkedStoryboards.classes, log: log)
    }

    func check() {
        checkReference(ControllerReference(name: definition.initialControllerName, path: "initial"))
        for controller in definition.controllers {
            for child in controller.children { checkReference(child) }
            for segue in controller.segues { checkReference(segue.destination) }
            checkNames(of: controller)
            let outlets = makeOutlets(of: controller)
            if let instance = objectFactory.makeController(controller.object) {
                let requirements = type(of: instance).storyboardRequirements
                checkRequirements(requirements, of: controller, outlets)
                checkSiblings(
                    of: controller,
                    allowsDuplicateChildIdentifiers: instance.allowsDuplicateChildIdentifiers)
                checkChildCount(
                    of: controller, maximum: type(of: instance).maximumStoryboardChildren)
            }
        }
    }

    private func checkChildCount(of controller: ControllerDefinition, maximum: Int) {
        guard controller.children.count > maximum else { return }
        let noun = maximum == 1 ? "child" : "children"
        log.report(
            "\(controller.path) is a \(controller.className.value), which can have only \(maximum) "
                + "\(noun): remove \(Quotation(controller.children[maximum].name.value)) and the children "
                + "after it.",
            at: controller.children[maximum].name.position)
    }

    /// Creates a controller's bar button items and views, and reports problems.
    ///
    /// The result is keyed by object name and omits objects that cannot be created.
    private func makeOutlets(of controller: ControllerDefinition) -> [ExactString: View] {
        var outlets: [ExactString: View] = [:]
        func add(_ object: ObjectDefinition, _ view: View?) {
            checkSegue(of: object, view, controller)
            if let view, outlets[object.name.value] == nil { outlets[object.name.value] = view }
        }
        func addAll(_ views: [ObjectDefinition], depth: Int) {
            for object in views {
                guard depth <= StoryboardLimits.maximumViewDepth else {
                    log.report(
                        "\(object.path) is nested deeper than \(StoryboardLimits.maximumViewDepth) views: "
                            + "remove views around it.",
                        at: object.name.position)
                    return
                }
                add(object, objectFactory.makeView(object))
                addAll(object.views, depth: depth + 1)
            }
        }
        for side in BarSide.allCases {
            for item in controller.barButtonItems[side, default: []] {
                add(item, objectFactory.makeBarButtonItem(item))
            }
        }
        addAll(controller.object.views, depth: 1)
        return outlets
    }

    /// Checks that a view with a segue can be tapped, and that the controller defines the segue.
    private func checkSegue(
        of object: ObjectDefinition, _ view: View?, _ controller: ControllerDefinition
    ) {
        guard let segueName = object.segueName else { return }
        if let view, !(view is Control && view is any Tappable) {
            log.report(
                "\(object.path) has a segue, but a \(object.className.value) cannot be tapped: "
                    + "move the segue to a Button, or remove it.",
                at: segueName.position)
        }
        let names = controller.segues.map(\.name.value)
        if !names.contains(segueName.value) {
            let remedy = SpellingSuggestions.remedy(
                for: segueName.value, among: names,
                otherwise: "define it below \(controller.path).segues, or remove the name.")
            log.report(
                "\(object.path).segue names \(Quotation(segueName.value)), but there is no such "
                    + "segue: \(remedy)",
                at: segueName.position)
        }
    }

    /// Checks that the names of a controller's views and bar button items are unique, because they are looked up by
    /// name.
    private func checkNames(of controller: ControllerDefinition) {
        var pathsByName: [ExactString: String] = [:]
        for object in controller.outlets {
            if let otherPath = pathsByName[object.name.value] {
                log.report(
                    "\(object.path) and \(otherPath) have the same name in one controller: "
                        + "rename one of them.",
                    at: object.name.position)
            } else {
                pathsByName[object.name.value] = object.path
            }
        }
    }

    /// Checks that siblings have different identifiers. Of siblings with the same identifier, only one can be preserved
    /// (I3).
    private func checkSiblings(
        of controller: ControllerDefinition, allowsDuplicateChildIdentifiers: Bool
    ) {
        var pathsByIdentifier: [RestorationIdentifier: String] = [:]
        func check(_ object: ObjectDefinition) {
            guard let identifier = object.restorationIdentifier else { return }
            if let otherPath = pathsByIdentifier[identifier.value] {
                log.report(
                    "\(object.path) and \(otherPath) are siblings with the same restorationIdentifier "
                        + "\(Quotation(identifier.value.text)): change one of them.",
                    at: identifier.position)
            }
            pathsByIdentifier[identifier.value] = object.path
        }
        for object in controller.outlets { check(object) }
        if !allowsDuplicateChildIdentifiers {
            for child in controller.children {
                if let child = linkedStoryboards.controller(child, from: definition) {
                    check(child.object)
                }
            }
        }
    }

    /// Reports a problem if a reference names an unknown controller.
    func checkReference(_ reference: ControllerReference) {
        guard
            let definingStoryboard = linkedStoryboards.definingStoryboard(
                reference, from: definition)
        else {
            reportUnknownStoryboard(reference)
            return
        }
        let name = reference.name
        guard definingStoryboard.controller(name.value) == nil else { return }
        let location =
            reference.storyboardName.map { " of the storyboard \(Quotation($0.value))" } ?? ""
        let remedy = SpellingSuggestions.remedy(
            for: name.value, among: definingStoryboard.controllers.map(\.name),
            otherwise: "define it below controllers, or remove the name.")
        log.report(
            "\(reference.path) names \(Quotation(name.value))\(location), but there is no such "
                + "controller: \(remedy)",
            at: name.position)
    }

    private func reportUnknownStoryboard(_ reference: ControllerReference) {
        guard let storyboardName = reference.storyboardName else { return }
        let remedy = SpellingSuggestions.remedy(
            for: storyboardName.value, among: linkedStoryboards.names,
            otherwise: "the application has \(linkedStoryboards.names.joined(separator: ", ")).")
        log.report(
            "\(reference.path) names the storyboard \(Quotation(storyboardName.value)), but there is "
                + "no such storyboard: \(remedy)",
            at: storyboardName.position)
    }

    /// Reports parts that a controller's class requires but the storyboards do not define.
    ///
    /// - Parameter outlets: The views and bar button items that could be created for the controller, keyed by name.
    func checkRequirements(
        _ requirements: StoryboardRequirements, of controller: ControllerDefinition,
        _ outlets: [ExactString: View]
    ) {
        func report(_ problem: String) {
            log.report(
                "\(controller.path) is a \(controller.className.value), which \(problem).",
                at: controller.className.position)
        }
        for requiredController in requirements.controllers {
            let name = Quotation(requiredController.name)
            guard let storyboardName = requiredController.storyboard else {
                if definition.controller(requiredController.name) == nil {
                    report("shows a controller \(name): define it below controllers")
                }
                continue
            }
            let requirement =
                "shows a controller \(name) of the storyboard \(Quotation(storyboardName))"
            if let definingStoryboard = linkedStoryboards.definition(named: storyboardName) {
                if definingStoryboard.controller(requiredController.name) == nil {
                    report("\(requirement): define it there below controllers")
                }
            } else {
                report("\(requirement): configure a storyboard with this name")
            }
        }
        for segue in requirements.segues
        where !controller.segues.contains(where: { $0.name.value == segue }) {
            report("performs a segue \(Quotation(segue)): define it below segues")
        }
        for requiredView in requirements.views {
            checkView(requiredView, of: controller, outlets, report)
        }
    }

    private func checkView(
        _ requiredView: RequiredView, of controller: ControllerDefinition,
        _ outlets: [ExactString: View],
        _ report: (String) -> Void
    ) {
        guard let object = controller.outlets.first(where: { $0.name.value == requiredView.name })
        else {
            report(
                "uses a view \(Quotation(requiredView.name)): define it below \(requiredView.storyboardKeys), "
                    + "with the class \(requiredView.className)")
            return
        }
        if let view = outlets[requiredView.name], !requiredView.accepts(view) {
            log.report(
                "\(object.path).class is \(object.className.value): write "
                    + "\(requiredView.className), or a class derived from it.",
                at: object.className.position)
        }
    }
}
