import ControllerKit
import PositionedYAML
import StateRestoration

/// Finds everything in a storyboard that would keep one of its controllers from being made.
struct StoryboardChecker {
    private let definition: StoryboardDefinition
    private let maker: ObjectMaker
    private let log: ProblemLog
    private var shownByClass: [String: [String]] = [:]

    init(_ definition: StoryboardDefinition, _ classes: ClassRegistry, _ log: ProblemLog) {
        self.definition = definition
        maker = ObjectMaker(classes)
        self.log = log
        for name in Set(definition.controllers.map(\.className.value)) {
            guard let made = classes.makeObject(name) as? ViewController else { continue }
            shownByClass[name] = type(of: made).storyboardRequirements.controllers
        }
    }

    func check() {
        checkReference(definition.initial, "initial")
        for controller in definition.controllers {
            for child in controller.children {
                checkReference(child, "\(controller.path).children")
            }
            checkDescent(of: controller)
            checkViews(controller.views)
            if let made = make({ () throws(PositionedErrors) in
                try maker.makeController(controller)
            }) {
                checkRequirements(type(of: made).storyboardRequirements, of: controller)
                checkSiblings(of: controller, childrenMayBeEqual: made.numbersEqualChildren)
            }
        }
    }

    private func make<Made>(_ body: () throws(PositionedErrors) -> Made) -> Made? {
        do throws(PositionedErrors) {
            return try body()
        } catch {
            log.report(error)
            return nil
        }
    }

    private func checkReference(_ name: Positioned<String>, _ path: String) {
        if stated(name.value) == nil {
            log.report(
                "\(path) names \(Quotation(name.value)), and there is no such controller: "
                    + remedy(name.value),
                at: name.position)
        }
    }

    private func remedy(_ name: String) -> String {
        let known = definition.controllers.map(\.name.value)
        return Spelling.closest(to: name, among: known).map { "did you mean \(Quotation($0))?" }
            ?? "state it below controllers, or take the name out."
    }

    private func stated(_ name: String) -> ObjectDefinition? {
        definition.controllers.first { $0.name.value == name }
    }

    /// A controller that would hold itself, directly or further down.
    private func checkDescent(of controller: ObjectDefinition) {
        var waiting = held(by: controller)
        var seen: Set<String> = []
        while let name = waiting.popLast() {
            if name.value == controller.name.value {
                log.report(
                    "\(controller.path) holds itself: take \(Quotation(name.value)) out of "
                        + "these children, or give the controller a class that does not show it.",
                    at: name.position)
                return
            }
            if seen.insert(name.value).inserted, let child = stated(name.value) {
                waiting += held(by: child)
            }
        }
    }

    /// The controllers that one makes: its children, and those that its class shows.
    private func held(by controller: ObjectDefinition) -> [Positioned<String>] {
        let shown = shownByClass[controller.className.value] ?? []
        return controller.children
            + shown.map { Positioned($0, at: controller.className.position) }
    }

    private func checkViews(_ views: [ObjectDefinition]) {
        for view in views {
            _ = make { () throws(PositionedErrors) in try maker.makeView(view) }
            checkViews(view.views)
        }
    }

    private func checkRequirements(
        _ requirements: StoryboardRequirements, of controller: ObjectDefinition
    ) {
        for name in requirements.controllers where stated(name) == nil {
            log.report(
                "\(controller.path) is a \(controller.className.value), which shows a controller "
                    + "\(Quotation(name)): state it below controllers.",
                at: controller.className.position)
        }
        for required in requirements.views {
            guard let view = controller.views.first(where: { $0.name.value == required.name })
            else {
                log.report(
                    "\(controller.path) is a \(controller.className.value), which uses a view "
                        + "\(Quotation(required.name)): state it below views, with the class "
                        + "\(required.className).",
                    at: controller.className.position)
                continue
            }
            if let made = make({ () throws(PositionedErrors) in try maker.makeView(view) }),
                !required.accepts(made)
            {
                log.report(
                    "\(view.path).class is \(view.className.value): write "
                        + "\(required.className), or a class derived from it.",
                    at: view.className.position)
            }
        }
    }

    /// Of siblings with one identifier only one could be preserved (I3).
    private func checkSiblings(of controller: ObjectDefinition, childrenMayBeEqual: Bool) {
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
        func checkAll(_ views: [ObjectDefinition]) {
            for view in views {
                check(view)
                checkAll(view.views)
            }
        }
        checkAll(controller.views)
        if !childrenMayBeEqual {
            for child in controller.children {
                if let child = stated(child.value) { check(child) }
            }
        }
    }
}
