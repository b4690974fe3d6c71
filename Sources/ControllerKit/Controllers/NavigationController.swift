public import StateRestoration

/// A container that shows the top of a stack of controllers below a bar. Preserves its stack (P10).
open class NavigationController: ViewController {
    private static let stackKey: StaticString = "viewControllers"

    /// The view of the controller that is shown.
    private weak var shown: View?

    /// The stack, its bottom first.
    public var viewControllers: [ViewController] { children }

    /// The controller that is shown.
    public var topViewController: ViewController? { children.last }

    /// Replaces the stack.
    public func setViewControllers(_ controllers: [ViewController]) {
        for child in children where !controllers.contains(where: { $0 === child }) {
            if child.isViewLoaded { child.view.removeFromSuperview() }
            child.removeFromParent()
        }
        for controller in controllers { addChild(controller) }
        showTop()
    }

    /// Puts a controller on top of the stack, and shows it.
    public func pushViewController(_ controller: ViewController) {
        setViewControllers(viewControllers + [controller])
    }

    /// Takes the top off the stack, unless it is the bottom.
    @discardableResult
    public func popViewController() -> ViewController? {
        guard children.count > 1, let top = topViewController else { return nil }
        setViewControllers(viewControllers.dropLast())
        return top
    }

    private func showTop() {
        invalidateRestorableState()
        guard isViewLoaded, let top = topViewController else { return }
        if let shown, shown.owner !== top { shown.removeFromSuperview() }
        shown = top.view
        view.addSubview(top.view)
    }

    /// A view with the bar.
    open override func makeView() -> View { NavigationView() }

    /// Shows the top of the stack.
    open override func viewDidLoad() {
        super.viewDidLoad()
        showTop()
    }

    /// Takes in the controllers that a storyboard states, as the stack.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setViewControllers(children)
    }

    /// True: a stack may hold the same controller's kind twice.
    open override var numbersEqualChildren: Bool { true }

    /// The key of the stack: a controller that is not restored cuts it (R8).
    open override var restorationStackKey: StaticString? { Self.stackKey }

    /// Stores the stack from its bottom to its top, only identified controllers (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        let identified = viewControllers.filter { $0.restorationIdentifier != nil }
        coder.encode(identified, forKey: Self.stackKey)
    }

    /// Links the stack again, up to the first controller that was not restored (R8, R9). A stack
    /// that was saved empty, or of which nothing was restored, stays as the launch made it.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let saved = try coder.decodeObjects(ViewController.self, forKey: Self.stackKey) ?? []
        let restored = saved.prefix { $0 != nil }.compactMap(\.self)
        if !restored.isEmpty, !restored.elementsEqual(viewControllers, by: ===) {
            setViewControllers(restored)
        }
    }
}

/// The bar above what a navigation controller shows.
final class NavigationView: View {
    override func draw(on canvas: inout TextCanvas) {
        guard let controller = owner as? NavigationController else { return }
        let title = controller.topViewController?.title ?? ""
        let back = controller.viewControllers.dropLast().last.map { "‹ \($0.title)   " } ?? ""
        if back.isEmpty { canvas.centered(title) } else { canvas.line(back + title) }
        canvas.rule()
        super.draw(on: &canvas)
    }
}
