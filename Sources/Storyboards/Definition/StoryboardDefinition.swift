package import ControllerKit
import ExactText
package import PositionedYAML
package import StateRestoration

/// The content of a storyboard file, before objects are created from it.
package struct StoryboardDefinition: Sendable {
    /// The storyboard's name, which is recorded with each controller (P13).
    package var name: Positioned<String>
    /// The version of the application for which the file was written (L6).
    package var bundleVersion: Positioned<String>
    /// The name of the interface's first controller.
    package var initialControllerName: Positioned<String>
    /// The controllers, in file order.
    package var controllers: [ControllerDefinition]

    /// Returns the controller with the given name, or `nil` if the file does not define it.
    func controller(_ name: String) -> ControllerDefinition? {
        controllers.first { $0.name == name }
    }
}

/// A controller as defined in a storyboard file.
package struct ControllerDefinition: Sendable {
    /// The part of the definition that controllers and views have in common.
    ///
    /// Its `views` are the subviews of the controller's view.
    package var object: ObjectDefinition
    /// The children that are created with the controller.
    package var children: [ControllerReference]
    /// The buttons that a navigation bar shows for the controller, keyed by side.
    package var barButtonItems: [BarSide: [ObjectDefinition]]
    /// The segues from the controller to other controllers.
    package var segues: [StoryboardSegueDefinition]

    /// The name of the controller in the file.
    package var name: String { object.name.value }
    /// The name of the controller's class.
    package var className: Positioned<String> { object.className }
    /// The path of the controller in the file, for use in messages, such as `controllers.parent`.
    package var path: String { object.path }

    /// The bar button items, and the views at all nesting depths.
    ///
    /// These are the objects that ``ViewController/outlet(_:as:)`` finds.
    var outlets: [ObjectDefinition] {
        var outlets: [ObjectDefinition] = []
        func add(_ views: [ObjectDefinition]) {
            for view in views {
                outlets.append(view)
                add(view.views)
            }
        }
        for side in BarSide.allCases { outlets += barButtonItems[side, default: []] }
        add(object.views)
        return outlets
    }
}

/// A controller or a view as defined in a storyboard file.
package struct ObjectDefinition: Sendable {
    /// The name of the object in the file.
    package var name: Positioned<String>
    /// The name of the object's class.
    package var className: Positioned<String>
    /// The restoration identifier, or `nil` if the object is not preserved (I1).
    package var restorationIdentifier: Positioned<RestorationIdentifier>?
    /// The nested views, in file order.
    package var views: [ObjectDefinition]
    /// The name of the segue that a tap on the view performs, or `nil` if a tap performs no segue.
    package var segueName: Positioned<String>?
    /// The other properties, in file order.
    package var properties: [Property]
    /// The keys that are not properties, for use in messages.
    package var nonPropertyKeys: [String]
    /// The path of the object in the file, for use in messages, such as `controllers.parent.views.box`.
    package var path: String

    /// A property in the file.
    package struct Property: Sendable {
        package var name: Positioned<String>
        package var value: Positioned<PropertyValue>
    }
}

/// A reference to a controller in the same file or in another storyboard.
package struct ControllerReference: Sendable {
    /// The storyboard that defines the controller, or `nil` for the storyboard that contains the reference.
    package var storyboardName: Positioned<String>?
    /// The controller's name in its storyboard.
    package var name: Positioned<String>
    /// The path of the reference in the file, for use in messages.
    package var path: String
}

/// A segue as defined in a storyboard file.
package struct StoryboardSegueDefinition: Sendable {
    /// The segue's name in its controller.
    package var name: Positioned<String>
    /// How the segue shows its destination.
    package var kind: Segue.Kind
    /// The destination of the segue.
    package var destination: ControllerReference
}
