package import ControllerKit
import ExactText
package import PositionedYAML
package import StateRestoration

/// The content of a storyboard file, before anything is made of it.
package struct StoryboardDefinition: Sendable {
    /// The storyboard's name, which is recorded with each controller (P13).
    package var name: Positioned<String>
    /// The program version that the file is for (L6).
    package var bundleVersion: Positioned<String>
    /// The controller at which the interface begins.
    package var initial: Positioned<String>
    /// The controllers, in the order of the file.
    package var controllers: [ControllerDefinition]

    /// The controller of this name; nil if the file states none.
    func controller(_ name: String) -> ControllerDefinition? {
        controllers.first { $0.name == name }
    }
}

/// A controller as a storyboard file states it.
package struct ControllerDefinition: Sendable {
    /// The part in common with views; its `views` are those in its own view.
    package var object: ObjectDefinition
    /// The controllers that it holds from the start.
    package var children: [ControllerReference]
    /// The buttons that a navigation bar shows for it, by its sides.
    package var barButtonItems: [BarSide: [ObjectDefinition]]
    /// The ways that lead from it to others.
    package var segues: [StatedSegue]

    /// Its name in the file.
    package var name: String { object.name.value }
    /// The name of its class.
    package var className: Positioned<String> { object.className }
    /// Its path in the file, for sentences: `controllers.parent`.
    package var path: String { object.path }

    /// Its views at every depth, and its bar button items: all that
    /// ``ViewController/outlet(_:as:)`` finds.
    var outlets: [ObjectDefinition] {
        var result: [ObjectDefinition] = []
        func add(_ views: [ObjectDefinition]) {
            for view in views {
                result.append(view)
                add(view.views)
            }
        }
        for side in BarSide.allCases { result += barButtonItems[side, default: []] }
        add(object.views)
        return result
    }
}

/// A controller or a view as a storyboard file states it.
package struct ObjectDefinition: Sendable {
    /// Its name in the file.
    package var name: Positioned<String>
    /// The name of its class.
    package var className: Positioned<String>
    /// Its restoration identifier; nil if it is not preserved (I1).
    package var restorationIdentifier: Positioned<RestorationIdentifier>?
    /// The views in it, in the order of the file.
    package var views: [ObjectDefinition]
    /// The segue that a tap on it performs, by its name at the controller; of controllers none.
    package var segue: Positioned<String>?
    /// Its other properties, in the order of the file.
    package var properties: [Property]
    /// The keys that are no properties, for sentences.
    package var fixedKeys: [String]
    /// Its path in the file, for sentences: `controllers.parent.views.box`.
    package var path: String

    /// One stated property.
    package struct Property: Sendable {
        package var name: Positioned<String>
        package var value: Positioned<PropertyValue>
    }
}

/// Names a controller of the same file or of another storyboard.
package struct ControllerReference: Sendable {
    /// The storyboard that states it; nil: the one in which the reference stands.
    package var storyboard: Positioned<String>?
    /// The controller's name there.
    package var name: Positioned<String>
    /// The reference's path in the file, for sentences.
    package var path: String
}

/// A segue as a storyboard file states it.
package struct StatedSegue: Sendable {
    /// Its name at its controller.
    package var name: Positioned<String>
    /// How the destination comes to be shown.
    package var kind: Segue.Kind
    /// The controller that it leads to.
    package var destination: ControllerReference
}
