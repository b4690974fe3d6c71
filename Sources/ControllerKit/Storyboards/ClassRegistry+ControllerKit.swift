public import StateRestoration

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
