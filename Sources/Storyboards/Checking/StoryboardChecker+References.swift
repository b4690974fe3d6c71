import ControllerKit
import PositionedYAML

extension StoryboardChecker {
    /// Reports a reference that leads to no controller.
    func checkReference(_ reference: ControllerReference) {
        guard let stating = linked.stating(reference, from: definition) else {
            reportUnknownStoryboard(reference)
            return
        }
        let name = reference.name
        guard stating.controller(name.value) == nil else { return }
        let known = stating.controllers.map(\.name)
        let place = reference.storyboard.map { " of the storyboard \(Quotation($0.value))" } ?? ""
        let remedy =
            Spelling.closest(to: name.value, among: known).map { "did you mean \(Quotation($0))?" }
            ?? "state it below controllers, or take the name out."
        log.report(
            "\(reference.path) names \(Quotation(name.value))\(place), and there is no such "
                + "controller: \(remedy)",
            at: name.position)
    }

    private func reportUnknownStoryboard(_ reference: ControllerReference) {
        guard let storyboard = reference.storyboard else { return }
        let remedy =
            Spelling.closest(to: storyboard.value, among: linked.names)
            .map { "did you mean \(Quotation($0))?" }
            ?? "the application has \(linked.names.joined(separator: ", "))."
        log.report(
            "\(reference.path) names the storyboard \(Quotation(storyboard.value)), and there is "
                + "no such storyboard: \(remedy)",
            at: storyboard.position)
    }

    /// Reports what a controller's class needs and the storyboards do not state.
    ///
    /// - Parameter outlets: the controller's views and bar button items that could be made.
    func checkRequirements(
        _ requirements: StoryboardRequirements, of controller: ControllerDefinition,
        _ outlets: [String: View]
    ) {
        func report(_ problem: String) {
            log.report(
                "\(controller.path) is a \(controller.className.value), which \(problem).",
                at: controller.className.position)
        }
        for required in requirements.controllers {
            let name = Quotation(required.name)
            guard let other = required.storyboard else {
                if definition.controller(required.name) == nil {
                    report("shows a controller \(name): state it below controllers")
                }
                continue
            }
            let shown = "shows a controller \(name) of the storyboard \(Quotation(other))"
            if let stating = linked.definition(named: other) {
                if stating.controller(required.name) == nil {
                    report("\(shown): state it there below controllers")
                }
            } else {
                report("\(shown): configure a storyboard of this name")
            }
        }
        for segue in requirements.segues
        where !controller.segues.contains(where: { $0.name.value == segue }) {
            report("performs a segue \(Quotation(segue)): state it below segues")
        }
        for required in requirements.views {
            checkView(required, of: controller, outlets, report)
        }
    }

    private func checkView(
        _ required: RequiredView, of controller: ControllerDefinition, _ outlets: [String: View],
        _ report: (String) -> Void
    ) {
        guard let stated = controller.outlets.first(where: { $0.name.value == required.name })
        else {
            report(
                "uses a view \(Quotation(required.name)): state it below \(required.whereToState), "
                    + "with the class \(required.className)")
            return
        }
        if let made = outlets[required.name], !required.accepts(made) {
            log.report(
                "\(stated.path).class is \(stated.className.value): write "
                    + "\(required.className), or a class derived from it.",
                at: stated.className.position)
        }
    }
}
