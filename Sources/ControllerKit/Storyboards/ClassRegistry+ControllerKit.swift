public import StateRestoration

extension ClassRegistry {
    /// Registers a class of view controllers that storyboards can create.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - token: The name of the class in storyboards and records, or `nil` for the unqualified type name.
    ///   - aliases: Names under which earlier versions of the program recorded the class.
    public mutating func register<Controller: ViewController>(
        controller type: Controller.Type, as token: String? = nil, aliases: [String] = []
    ) {
        register(type, as: token, aliases: aliases, make: { type.init() })
    }

    /// Registers a class of views that storyboards can create, like ``register(controller:as:aliases:)``.
    public mutating func register<Made: View>(
        view type: Made.Type, as token: String? = nil, aliases: [String] = []
    ) {
        register(type, as: token, aliases: aliases, make: { type.init() })
    }

    /// A registry that contains the classes of ControllerKit.
    public static var controllerKit: ClassRegistry {
        var registry = ClassRegistry()
        let controllers: [ViewController.Type] = [
            ViewController.self, NavigationController.self, TabBarController.self,
            SplitViewController.self, PageViewController.self, TableViewController.self,
        ]
        let views: [View.Type] = [
            View.self, TableView.self, CollectionView.self, ImageView.self, WebView.self,
            BarButtonItem.self, Button.self, Label.self, PageControl.self, ScrollView.self,
            SecureTextField.self, SegmentedControl.self, Slider.self, Switch.self, TextField.self,
            TextView.self,
        ]
        for type in controllers { registry.register(controller: type) }
        for type in views { registry.register(view: type) }
        return registry
    }
}
