public import StateRestoration

/// A container that shows one of its children at a time, above a tab bar with the titles of all children.
///
/// A tab bar controller preserves its tabs and the selection (P10, V8).
open class TabBarController: ViewController, ElementSelecting, ChildSelecting {
    var childSelection = ChildSelection()

    /// The tabs, in the order in which the tab bar shows them.
    ///
    /// When you set new tabs, the selected tab stays selected if it is one of them.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// Replaces the tabs.
    ///
    /// The selected tab stays selected if it is one of the new tabs.
    public func setViewControllers(_ controllers: [ViewController]) {
        replaceChildren(with: controllers)
    }

    /// The selected tab, or `nil` if there are no tabs.
    ///
    /// Setting a controller that is not a tab has no effect.
    public var selectedViewController: ViewController? {
        get { selectedChild }
        set { selectedChild = newValue }
    }

    /// The zero-based index of the selected tab.
    ///
    /// If you set an index that is too large, the last tab is selected. If you set an index before there are any tabs,
    /// the controller stores the index and selects the tab with that index once the tab has been added. Until then, the
    /// nearest tab is selected.
    public var selectedIndex: Int {
        get { selectedChildIndex }
        set { selectedChildIndex = newValue }
    }

    /// Selects the tab with the given index on behalf of the user.
    open func select(_ indexes: [Int]) throws(OperationError) {
        selectedIndex = try children.onlyIndex(of: indexes, "tab")
    }

    override var childToShow: ViewController? { selectedViewController }

    override func childrenDidChange() {
        updateChildSelection()
    }

    /// Creates a view with a tab bar.
    open override func makeView() -> View { TabBarView() }

    // MARK: Storyboard

    /// Sets the tabs to the controllers that a storyboard lists.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setViewControllers(children)
    }

    /// The titles of the tabs and the index of the selected tab.
    open override var properties: [Property] {
        [
            Property("tabs", self.children.map(\.title).inspectionValue),
            Property("selectedIndex", of: self, \.selectedIndex, in: 0 ... .max),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the tabs that have identifiers, and a reference to the selected tab (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        encodeChildSelection(
            with: coder, children: "viewControllers", selected: "selectedViewController")
    }

    /// Adds the recreated tabs at their saved positions (R9) and restores the saved selection (V8).
    ///
    /// If the saved selected tab was not restored, the selected tab does not change.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        try decodeStoryboardChildren(with: coder)
        restoreChildSelection(
            try coder.decodeObjects(ViewController.self, forKey: "viewControllers") ?? [],
            selected: try coder.decodeObject(forKey: "selectedViewController"))
    }
}

/// The view of a tab bar controller.
///
/// It draws the selected tab above the bar.
final class TabBarView: View {
    override func draw(on canvas: inout TextCanvas) {
        canvas.drawReservingLines(2) { super.draw(on: &$0) }
        guard let controller = owner as? TabBarController else { return }
        canvas.rule()
        canvas.line(
            controller.viewControllers.map(\.title), selectedIndex: controller.selectedIndex,
            of: controller)
    }

    override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        let content = accessibilityElements(of: subviews, maximumRows: maximumRows)
        guard let controller = owner as? TabBarController else { return content }
        let bar = AccessibilityElement(
            .tablist, of: .tab, titles: controller.viewControllers.map(\.title),
            selectedIndex: controller.selectedIndex, target: controller)
        return content + [bar]
    }
}
