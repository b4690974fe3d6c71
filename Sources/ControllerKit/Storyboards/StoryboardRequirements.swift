/// The parts that a storyboard must state for a controller of a class.
public struct StoryboardRequirements {
    /// Controllers that the class makes from its storyboard, or from another.
    public var controllers: [RequiredController]
    /// Views and bar button items that the class uses.
    public var views: [RequiredView]
    /// Segues that the class performs, by their names at the controller.
    public var segues: [String]

    /// Requirements of these controllers, views and segues.
    public init(
        controllers: [RequiredController] = [], views: [RequiredView] = [], segues: [String] = []
    ) {
        self.controllers = controllers
        self.views = views
        self.segues = segues
    }
}

/// A controller that a class makes by ``ViewController/storyboardController(_:storyboard:)``; a
/// literal text is one of the same storyboard.
public struct RequiredController: Sendable, ExpressibleByStringLiteral {
    /// The controller's name in its storyboard.
    public let name: String
    /// The storyboard that states it; nil: the one that states the controller in need.
    public let storyboard: String?

    /// A controller of this name, and of another storyboard if one is given.
    public init(_ name: String, storyboard: String? = nil) {
        self.name = name
        self.storyboard = storyboard
    }

    /// A controller of the same storyboard.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

/// A view or a bar button item that a class of controllers uses.
public struct RequiredView {
    /// Its name in the storyboard, however deep it lies.
    public let name: String
    /// The class that it has to be of.
    public let className: String
    /// Whether it stands in a navigation bar.
    let isBarButtonItem: Bool
    private let isAccepted: (View) -> Bool

    /// A view of this name and this class.
    public init<Required: View>(_ name: String, _ type: Required.Type) {
        self.name = name
        className = _typeName(type, qualified: false)
        isBarButtonItem = type is BarButtonItem.Type
        isAccepted = { $0 is Required }
    }

    /// Whether a view is of the required class.
    public func accepts(_ view: View) -> Bool { isAccepted(view) }

    /// The keys below which a storyboard states it, for sentences.
    package var whereToState: String {
        isBarButtonItem ? "leftBarButtonItems or rightBarButtonItems" : "views"
    }
}
