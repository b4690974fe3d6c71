import ControllerKit
import PositionedYAML
import StateRestoration

/// A factory that creates a storyboard's controllers with their views, bar button items and segues.
struct ControllerFactory {
    let storyboard: YAMLStoryboard
    let objectFactory: ObjectFactory

    /// Creates a controller without its children.
    ///
    /// Reports a problem and returns `nil` if the controller cannot be created.
    func makeController(_ definition: ControllerDefinition) -> ViewController? {
        guard let controller = objectFactory.makeController(definition.object) else { return nil }
        controller.recordInstantiation(by: storyboard, as: definition.name)
        for segue in definition.segues {
            controller.addSegue(
                SegueDefinition(
                    identifier: segue.name.value, kind: segue.kind,
                    storyboardName: segue.destination.storyboardName?.value,
                    destinationName: segue.destination.name.value))
        }
        for side in BarSide.allCases {
            for item in definition.barButtonItems[side, default: []] {
                guard let button = objectFactory.makeBarButtonItem(item) else { continue }
                setOriginAndSegue(button, item, controller)
                controller.addBarButtonItem(item.name.value, button, on: side)
            }
        }
        addViews(definition.object.views, to: controller, in: nil)
        return controller
    }

    private func addViews(
        _ definitions: [ObjectDefinition], to controller: ViewController, in superview: View?
    ) {
        for viewDefinition in definitions {
            guard let view = objectFactory.makeView(viewDefinition) else { continue }
            setOriginAndSegue(view, viewDefinition, controller)
            superview?.addSubview(view)
            controller.addOutlet(viewDefinition.name.value, view, in: superview)
            addViews(viewDefinition.views, to: controller, in: view)
        }
    }

    private func setOriginAndSegue(
        _ view: View, _ definition: ObjectDefinition, _ controller: ViewController
    ) {
        view.restoration.storyboard = StoryboardOrigin(
            name: storyboard.name, identifier: definition.name.value)
        if let segueName = definition.segueName, let control = view as? Control {
            controller.performSegue(segueName.value, whenTapped: control)
        }
    }
}
