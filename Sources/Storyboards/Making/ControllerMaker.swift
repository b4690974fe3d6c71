import ControllerKit
import PositionedYAML
import StateRestoration

/// A maker of a storyboard's controllers, with their views, bar button items and segues.
struct ControllerMaker {
    let storyboard: YAMLStoryboard
    let maker: ObjectMaker

    /// Creates the controller without its children.
    ///
    /// Returns `nil` if it cannot be created, after reporting a problem.
    func make(_ stated: ControllerDefinition) -> ViewController? {
        guard let controller = maker.makeController(stated.object) else { return nil }
        controller.wasMade(by: storyboard, as: stated.name)
        for segue in stated.segues {
            controller.addSegue(
                SegueDefinition(
                    identifier: segue.name.value, kind: segue.kind,
                    storyboard: segue.destination.storyboard?.value,
                    destination: segue.destination.name.value))
        }
        for side in BarSide.allCases {
            for item in stated.barButtonItems[side, default: []] {
                guard let made = maker.makeBarButtonItem(item) else { continue }
                finish(made, item, controller)
                controller.addBarButtonItem(item.name.value, made, on: side)
            }
        }
        addViews(stated.object.views, to: controller, in: nil)
        return controller
    }

    private func addViews(
        _ stated: [ObjectDefinition], to controller: ViewController, in superview: View?
    ) {
        for inner in stated {
            guard let view = maker.makeView(inner) else { continue }
            finish(view, inner, controller)
            superview?.addSubview(view)
            controller.addOutlet(inner.name.value, view, in: superview)
            addViews(inner.views, to: controller, in: view)
        }
    }

    private func finish(_ view: View, _ stated: ObjectDefinition, _ controller: ViewController) {
        view.restoration.storyboard = StoryboardOrigin(
            name: storyboard.name, identifier: stated.name.value)
        if let segue = stated.segue, let control = view as? Control {
            controller.performSegue(segue.value, whenTapped: control)
        }
    }
}
