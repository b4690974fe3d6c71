public import StateRestoration

/// A container that shows one of its children, the tabs, above a bar of their titles. Preserves its
/// tabs and which is selected (P10, V8).
open class TabBarController: ViewController, ElementChoosing, ChildChoosing {
    var choice = ChildChoice()

    /// The tabs, in order. Setting them keeps the selected one if it is among them.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// Replaces the tabs. The selected one stays selected if it is among them.
    public func setViewControllers(_ controllers: [ViewController]) {
        replaceChildren(with: controllers)
    }

    /// The tab that is shown; nil if there are none. Setting what is no tab changes nothing.
    public var selectedViewController: ViewController? {
        get { chosenChild }
        set { chosenChild = newValue }
    }

    /// Where the selected tab stands, counted from 0.
    ///
    /// Setting an index that no tab has selects the nearest. An index that is set while there are
    /// no tabs waits: the nearest is selected until the tab comes, or another is selected.
    public var selectedIndex: Int {
        get { chosenIndex }
        set { chosenIndex = newValue }
    }

    /// A person taps a tab.
    open func choose(_ indexes: [Int]) throws(OperationError) {
        selectedIndex = try children.onlyIndex(of: indexes, "tab")
    }

    override var childToShow: ViewController? { selectedViewController }

    override func childrenDidChange() {
        updateChoice()
    }

    /// A view with the bar.
    open override func makeView() -> View { TabBarView() }

    // MARK: Storyboard

    /// Takes in the controllers that a storyboard states, as the tabs.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setViewControllers(children)
    }

    /// The tabs' titles, and which is selected.
    open override var properties: [Property] {
        [
            Property("tabs", self.children.map(\.title).inspected),
            Property("selectedIndex", of: self, \.selectedIndex, in: 0 ... .max),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the identified tabs, and the selected one (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        encodeChoice(with: coder, children: "viewControllers", chosen: "selectedViewController")
    }

    /// Links tabs that were made anew behind those that stood before them (R9), and selects the one
    /// that was selected (V8). If that was not restored, the selection is the launch's.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        try decodeStoryboardChildren(with: coder)
        relinkChoice(
            try coder.decodeObjects(ViewController.self, forKey: "viewControllers") ?? [],
            chosen: try coder.decodeObject(forKey: "selectedViewController"))
    }
}

/// A tab controller's view: the selected tab above the bar.
final class TabBarView: View {
    override func draw(on canvas: inout TextCanvas) {
        super.draw(on: &canvas)
        guard let controller = owner as? TabBarController else { return }
        canvas.rule()
        canvas.line(
            controller.viewControllers.map(\.title), chosen: controller.selectedIndex,
            of: controller)
    }
}
