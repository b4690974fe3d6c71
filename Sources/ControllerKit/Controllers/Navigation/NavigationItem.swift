import StateRestoration

/// The title and buttons that a navigation bar shows while the item's controller is at the top of the stack.
///
/// The item is a view of the controller, so its buttons have paths and can be tapped.
public final class NavigationItem: View {
    /// The title in the bar, or `nil` to show the controller's title.
    public var title: String?

    /// The buttons on the left, next to the back button.
    public var leftBarButtonItems: [BarButtonItem] = [] {
        didSet { updateSubviews(replacing: oldValue) }
    }

    /// The buttons on the right, outermost first.
    public var rightBarButtonItems: [BarButtonItem] = [] {
        didSet { updateSubviews(replacing: oldValue) }
    }

    /// The first button on the left, or `nil` if there is none.
    ///
    /// Setting this property replaces all buttons on the left. Setting it to `nil` removes them.
    public var leftBarButtonItem: BarButtonItem? {
        get { leftBarButtonItems.first }
        set { leftBarButtonItems = newValue.map { [$0] } ?? [] }
    }

    /// The outermost button on the right, or `nil` if there is none.
    ///
    /// Setting this property replaces all buttons on the right. Setting it to `nil` removes them.
    public var rightBarButtonItem: BarButtonItem? {
        get { rightBarButtonItems.first }
        set { rightBarButtonItems = newValue.map { [$0] } ?? [] }
    }

    /// Updates the item's subviews, which are the buttons on both sides.
    ///
    /// A button that moves from one side to the other remains a subview.
    private func updateSubviews(replacing oldItems: [BarButtonItem]) {
        let items = leftBarButtonItems + rightBarButtonItems
        for item in oldItems
        where item.superview === self && !items.contains(where: { $0 === item }) {
            item.removeFromSuperview()
        }
        for item in items where item.superview !== self { addSubview(item) }
    }
}

extension ViewController {
    /// The content of the navigation bar while this controller is at the top of the stack.
    ///
    /// The item is created on first access.
    public var navigationItem: NavigationItem {
        if let existingNavigationItem { return existingNavigationItem }
        let item = NavigationItem()
        item.ownerLink.object = self
        existingNavigationItem = item
        restoration.invalidateStructure()
        return item
    }
}

/// A button in a navigation bar.
open class BarButtonItem: Button {}

/// A bar button that turns a controller's edit mode on and off.
///
/// Its title describes the effect of the next tap.
final class EditButtonItem: BarButtonItem {
    private var controllerLink = WeakLink<ViewController>()
    private var controller: ViewController? { controllerLink.object }

    convenience init(of controller: ViewController) {
        self.init()
        controllerLink.object = controller
    }

    /// "Done" in edit mode and "Edit" otherwise.
    ///
    /// Setting the title has no effect.
    override var title: String {
        get { controller?.isEditing == true ? "Done" : "Edit" }
        set {}
    }

    override func tap() throws(OperationError) {
        try super.tap()
        guard let controller else { return }
        try controller.changeEditing(!controller.isEditing)
    }
}
