public import StateRestoration

extension ClassRegistry {
    /// Registers a view controller class that storyboards can instantiate.
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

    /// Registers a view class that storyboards can instantiate, like ``register(controller:as:aliases:)``.
    public mutating func register<ViewType: View>(
        view type: ViewType.Type, as token: String? = nil, aliases: [String] = []
    ) {
        register(type, as: token, aliases: aliases, make: { type.init() })
    }

    /// A registry that contains the classes that ControllerKit provides.
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
