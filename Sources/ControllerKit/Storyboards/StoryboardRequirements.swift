/// The parts that a storyboard must define for a controller class.
public struct StoryboardRequirements {
    /// Controllers that the class creates from its own storyboard or from another storyboard.
    public var controllers: [RequiredController]
    /// Views and bar button items that the class uses.
    public var views: [RequiredView]
    /// Names of the segues that the class performs.
    public var segues: [String]

    /// Creates requirements from controllers, views and segues.
    public init(
        controllers: [RequiredController] = [], views: [RequiredView] = [], segues: [String] = []
    ) {
        self.controllers = controllers
        self.views = views
        self.segues = segues
    }
}

/// A controller that a class creates with ``ViewController/storyboardController(_:storyboard:)``.
///
/// A string literal refers to a controller in the class's own storyboard.
public struct RequiredController: Sendable, ExpressibleByStringLiteral {
    /// The controller's name in its storyboard.
    public let name: String
    /// The name of the storyboard that defines the controller, or `nil` for the class's own storyboard.
    public let storyboard: String?

    /// Creates a requirement for a controller.
    ///
    /// - Parameters:
    ///   - name: The controller's name in its storyboard.
    ///   - storyboard: The name of the storyboard that defines the controller, or `nil` for the class's own storyboard.
    public init(_ name: String, storyboard: String? = nil) {
        self.name = name
        self.storyboard = storyboard
    }

    /// Creates a requirement for a controller in the class's own storyboard.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

/// A view or a bar button item that a controller class uses.
public struct RequiredView {
    /// The view's name in the storyboard.
    ///
    /// The view can be nested at any depth.
    public let name: String
    /// The required class of the view.
    public let className: String
    /// Whether the view is a bar button item.
    let isBarButtonItem: Bool
    private let acceptsView: (View) -> Bool

    /// Creates a requirement from a name and a class.
    public init<Required: View>(_ name: String, _ type: Required.Type) {
        self.name = name
        className = _typeName(type, qualified: false)
        isBarButtonItem = type is BarButtonItem.Type
        acceptsView = { $0 is Required }
    }

    /// Returns whether a view is of the required class.
    public func accepts(_ view: View) -> Bool { acceptsView(view) }

    /// The storyboard keys under which the view can be defined, for error messages.
    package var storyboardKeys: String {
        isBarButtonItem ? "leftBarButtonItems or rightBarButtonItems" : "views"
    }
}
