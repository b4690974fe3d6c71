import StateRestoration

/// The content of a navigation bar while its controller is on top: the title, and buttons beside
/// it.
///
/// It is a view of its controller, so that the buttons have paths and can be tapped.
public final class NavigationItem: View {
    /// The title in the bar; nil: the controller's.
    public var title: String?

    /// The buttons on the left, beside the way back.
    public var leftBarButtonItems: [BarButtonItem] = [] {
        didSet { place(insteadOf: oldValue) }
    }

    /// The buttons on the right, the outermost first.
    public var rightBarButtonItems: [BarButtonItem] = [] {
        didSet { place(insteadOf: oldValue) }
    }

    /// The first button on the left. Setting it puts it in place of all of them; nil removes them.
    public var leftBarButtonItem: BarButtonItem? {
        get { leftBarButtonItems.first }
        set { leftBarButtonItems = newValue.map { [$0] } ?? [] }
    }

    /// The outermost button on the right. Setting it replaces all of them; nil removes them.
    public var rightBarButtonItem: BarButtonItem? {
        get { rightBarButtonItems.first }
        set { rightBarButtonItems = newValue.map { [$0] } ?? [] }
    }

    /// The buttons of both sides lie in the item. One may go from side to side.
    private func place(insteadOf old: [BarButtonItem]) {
        let items = leftBarButtonItems + rightBarButtonItems
        for item in old where item.superview === self && !items.contains(where: { $0 === item }) {
            item.removeFromSuperview()
        }
        for item in items where item.superview !== self { addSubview(item) }
    }
}

extension ViewController {
    /// The content of the navigation bar while this controller is on top, made when first asked
    /// for.
    public var navigationItem: NavigationItem {
        if let existingNavigationItem { return existingNavigationItem }
        let item = NavigationItem()
        item.owner = self
        existingNavigationItem = item
        restoration.invalidateStructure()
        return item
    }
}

/// A button in a navigation bar.
open class BarButtonItem: Button {}

/// The bar button that turns a controller's edit mode on and off. Its title says which is next.
final class EditButtonItem: BarButtonItem {
    private weak var controller: ViewController?

    convenience init(of controller: ViewController) {
        self.init()
        self.controller = controller
    }

    /// "Done" while the edit mode is on; it follows the mode and cannot be set.
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
