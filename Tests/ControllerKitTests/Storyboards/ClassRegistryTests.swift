import ControllerKit
import StateRestoration
import Testing

@Suite struct ClassRegistryTests {
    @Test func `storyboards can create every class of ControllerKit under its own name`() throws {
        let registry = ClassRegistry.controllerKit
        #expect(
            registry.constructibleTokens == [
                "BarButtonItem", "Button", "CollectionView", "ImageView", "Label",
                "NavigationController", "PageControl", "PageViewController", "ScrollView",
                "SecureTextField", "SegmentedControl", "Slider", "SplitViewController", "Switch",
                "TabBarController", "TableView", "TableViewController", "TextField", "TextView",
                "View", "ViewController", "WebView",
            ])
        for token in registry.constructibleTokens {
            let object = try #require(registry.makeObject(token))
            #expect("\(type(of: object))" == token)
        }
    }
}
