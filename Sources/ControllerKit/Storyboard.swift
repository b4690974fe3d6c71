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

    /// Another storyboard of the same application, to which segues and code may lead from this one.
    ///
    /// - Parameter name: the other storyboard's name.
    /// - Returns: nil if there is none of that name.
    func storyboard(named name: String) -> (any Storyboard)?
}

extension Storyboard {
    /// Nil: there is no other storyboard.
    public func storyboard(named name: String) -> (any Storyboard)? { nil }
}

/// A storyboard that an application does not have.
public struct UnknownStoryboard: Error, Equatable, CustomStringConvertible {
    /// The name that was asked for.
    public let name: String
    /// The names that there are, if they are known.
    public let known: [String]

    /// No storyboard has this name; these there are.
    public init(name: String, known: [String] = []) {
        self.name = name
        self.known = known
    }

    /// One sentence naming all of them.
    public var description: String {
        "the application has no storyboard \"\(name)\""
            + (known.isEmpty ? "" : ": it has \(known.joined(separator: ", "))")
    }
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
        registry.register(controller: TabBarController.self)
        registry.register(controller: SplitViewController.self)
        registry.register(controller: PageViewController.self)
        registry.register(controller: TableViewController.self)
        registry.register(view: View.self)
        registry.register(view: TableView.self)
        registry.register(view: CollectionView.self)
        registry.register(view: ImageView.self)
        registry.register(view: WebView.self)
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
