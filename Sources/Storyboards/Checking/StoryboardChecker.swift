import ControllerKit
import PositionedYAML
import StateRestoration

/// Finds everything in one storyboard that would keep one of its controllers from being made.
struct StoryboardChecker {
    let definition: StoryboardDefinition
    let linked: LinkedStoryboards
    let log: ProblemLog
    private let maker: ObjectMaker

    init(_ definition: StoryboardDefinition, _ linked: LinkedStoryboards, _ log: ProblemLog) {
        self.definition = definition
        self.linked = linked
        self.log = log
        maker = ObjectMaker(linked.classes, log)
    }

    func check() {
        checkReference(ControllerReference(name: definition.initial, path: "initial"))
        for controller in definition.controllers {
            for child in controller.children { checkReference(child) }
            for segue in controller.segues { checkReference(segue.destination) }
            checkNames(of: controller)
            let outlets = makeOutlets(of: controller)
            if let made = maker.makeController(controller.object) {
                let requirements = type(of: made).storyboardRequirements
                checkRequirements(requirements, of: controller, outlets)
                checkSiblings(of: controller, childrenMayBeEqual: made.numbersEqualChildren)
                checkCount(of: controller, most: type(of: made).maximumStoryboardChildren)
            }
        }
    }

    private func checkCount(of controller: ControllerDefinition, most: Int) {
        guard controller.children.count > most else { return }
        let noun = most == 1 ? "child" : "children"
        log.report(
            "\(controller.path) is a \(controller.className.value), which has room for \(most) "
                + "\(noun): take \(Quotation(controller.children[most].name.value)) and what "
                + "follows out.",
            at: controller.children[most].name.position)
    }

    /// Makes the controller's bar button items and views once; those that cannot be made are left
    /// out.
    private func makeOutlets(of controller: ControllerDefinition) -> [String: View] {
        var made: [String: View] = [:]
        func add(_ stated: ObjectDefinition, _ view: View?) {
            checkSegue(of: stated, view, controller)
            if let view, made[stated.name.value] == nil { made[stated.name.value] = view }
        }
        func addAll(_ views: [ObjectDefinition], depth: Int) {
            for stated in views {
                guard depth <= StoryboardLimits.viewDepth else {
                    log.report(
                        "\(stated.path) lies deeper than \(StoryboardLimits.viewDepth) views: "
                            + "take views around it out.",
                        at: stated.name.position)
                    return
                }
                add(stated, maker.makeView(stated))
                addAll(stated.views, depth: depth + 1)
            }
        }
        for side in BarSide.allCases {
            for item in controller.barButtonItems(on: side) {
                add(item, maker.makeBarButtonItem(item))
            }
        }
        addAll(controller.object.views, depth: 1)
        return made
    }

    /// A tap leads somewhere only if the view takes taps, and the controller states the segue.
    private func checkSegue(
        of stated: ObjectDefinition, _ view: View?, _ controller: ControllerDefinition
    ) {
        guard let segue = stated.segue else { return }
        if let view, !(view is Control && view is any Tappable) {
            log.report(
                "\(stated.path) has a segue, and a \(stated.className.value) takes no taps: "
                    + "state it at a Button, or take it out.",
                at: segue.position)
        }
        let names = controller.segues.map(\.name.value)
        if !names.contains(segue.value) {
            let remedy =
                Spelling.closest(to: segue.value, among: names)
                .map { "did you mean \(Quotation($0))?" }
                ?? "state it below \(controller.path).segues, or take the name out."
            log.report(
                "\(stated.path).segue names \(Quotation(segue.value)), and there is no such "
                    + "segue: \(remedy)",
                at: segue.position)
        }
    }

    /// Views and bar button items of one controller are found by their names.
    private func checkNames(of controller: ControllerDefinition) {
        var seen: [String: String] = [:]
        for object in controller.outlets {
            if let other = seen[object.name.value] {
                log.report(
                    "\(object.path) and \(other) have the same name in one controller: "
                        + "give one of them another.",
                    at: object.name.position)
            } else {
                seen[object.name.value] = object.path
            }
        }
    }

    /// Of siblings with one identifier only one could be preserved (I3).
    private func checkSiblings(of controller: ControllerDefinition, childrenMayBeEqual: Bool) {
        var seen: [RestorationIdentifier: String] = [:]
        func check(_ object: ObjectDefinition) {
            guard let identifier = object.restorationIdentifier else { return }
            if let other = seen[identifier.value] {
                log.report(
                    "\(object.path) and \(other) are siblings with the same restorationIdentifier "
                        + "\(Quotation(identifier.value.text)): give one of them another.",
                    at: identifier.position)
            }
            seen[identifier.value] = object.path
        }
        for object in controller.outlets { check(object) }
        if !childrenMayBeEqual {
            for child in controller.children {
                if let child = linked.controller(child, from: definition) { check(child.object) }
            }
        }
    }
}
