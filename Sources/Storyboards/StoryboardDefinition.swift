package import ControllerKit
package import PositionedYAML
package import StateRestoration

/// What a storyboard file states, before anything is made of it.
package struct StoryboardDefinition: Sendable {
    /// The storyboard's name, which is recorded with each controller (P13).
    package var name: String
    /// The program version that the file is for (L6).
    package var bundleVersion: Positioned<String>
    /// The controller at which the interface begins.
    package var initial: Positioned<String>
    /// The controllers, in the order of the file.
    package var controllers: [ObjectDefinition]
}

/// A controller or a view as a storyboard file states it.
package struct ObjectDefinition: Sendable {
    /// Its name in the file.
    package var name: Positioned<String>
    /// The name of its class.
    package var className: Positioned<String>
    /// Its restoration identifier; nil: it is not preserved (I1).
    package var restorationIdentifier: Positioned<RestorationIdentifier>?
    /// The names of the controllers that it holds from the start; of views none.
    package var children: [Positioned<String>]
    /// The views in it, in the order of the file.
    package var views: [ObjectDefinition]
    /// What else is stated of it, in the order of the file.
    package var properties: [Property]
    /// Its path in the file, for sentences: `controllers.parent`.
    package var path: String

    /// One stated property.
    package struct Property: Sendable {
        package var name: Positioned<String>
        package var value: Positioned<PropertyValue>
    }
}
