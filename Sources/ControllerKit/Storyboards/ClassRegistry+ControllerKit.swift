public import StateRestoration

extension ClassRegistry {
    /// Registers a view controller that storyboards can make, under its unqualified type name or
    /// another, and with names under which earlier versions recorded it.
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
