public import StateRestoration

/// A description of controllers and views from which they are made.
public protocol Storyboard: AnyObject {
    /// The storyboard's name, which is recorded with each controller it made (P13).
    var name: String { get }

    /// The controller at which the interface begins.
    ///
    /// - Throws: what the storyboard cannot make, and where that is stated.
    func instantiateInitialViewController() throws -> ViewController

    /// A new controller.
    ///
    /// - Parameter identifier: the controller's name in the storyboard.
    /// - Throws: what the storyboard cannot make, and where that is stated.
    func instantiateViewController(withIdentifier identifier: String) throws -> ViewController
}

/// What a storyboard must state for a controller of a class.
public struct StoryboardRequirements {
    /// Controllers that the class makes from its storyboard, by their names there.
    public var controllers: [String]
    /// Views that the class uses.
    public var views: [RequiredView]

    /// Requirements of these controllers and views.
    public init(controllers: [String] = [], views: [RequiredView] = []) {
        self.controllers = controllers
        self.views = views
    }
}

/// A view that a class of controllers uses.
public struct RequiredView {
    /// The view's name in the storyboard.
    public let name: String
    /// The class that it has to be of.
    public let className: String
    private let isAccepted: (View) -> Bool

    /// A view of this name and this class.
    public init<Required: View>(_ name: String, _ type: Required.Type) {
        self.name = name
        className = _typeName(type, qualified: false)
        isAccepted = { $0 is Required }
    }

    /// Whether a view is of the required class.
    public func accepts(_ view: View) -> Bool { isAccepted(view) }
}

extension ViewController {
    /// A storyboard made this controller under this name.
    package func wasMade(by storyboard: any Storyboard, as identifier: String) {
        self.storyboard = storyboard
        restoration.storyboard = StoryboardOrigin(name: storyboard.name, identifier: identifier)
    }
}

extension ClassRegistry {
    /// Registers a view controller or view that storyboards can make.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - token: the name it is recorded under; by default its unqualified type name.
    ///   - aliases: names under which earlier versions recorded it.
    public mutating func register<Controller: ViewController>(
        controller type: Controller.Type, as token: String? = nil, aliases: [String] = []
    ) {
        register(type, as: token, aliases: aliases, make: { type.init() })
    }

    /// Registers a view that storyboards can make, like ``register(controller:as:aliases:)``.
    public mutating func register<Made: View>(
        view type: Made.Type, as token: String? = nil, aliases: [String] = []
    ) {
        register(type, as: token, aliases: aliases, make: { type.init() })
    }

    /// A registry that knows the classes of ControllerKit.
    public static var controllerKit: ClassRegistry {
        var registry = ClassRegistry()
        registry.register(controller: ViewController.self)
        registry.register(controller: NavigationController.self)
        registry.register(view: View.self)
        registry.register(view: BarButtonItem.self)
        registry.register(view: Button.self)
        registry.register(view: Label.self)
        registry.register(view: PageControl.self)
        registry.register(view: ScrollView.self)
        registry.register(view: SecureTextField.self)
        registry.register(view: SegmentedControl.self)
        registry.register(view: Slider.self)
        registry.register(view: Switch.self)
        registry.register(view: TextField.self)
        registry.register(view: TextView.self)
        return registry
    }
}
