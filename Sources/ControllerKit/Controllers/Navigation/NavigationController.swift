import ExactText
public import StateRestoration

/// A container that shows the top of a stack of controllers below a bar. Preserves its stack (P10).
open class NavigationController: ViewController, BackNavigating {
    private static let stackKey: StaticString = "viewControllers"

    /// A stack of one controller.
    public convenience init(rootViewController: ViewController) {
        self.init()
        setViewControllers([rootViewController])
    }

    /// The stack, its bottom first. Setting it replaces the stack.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// The controller that is shown.
    public var topViewController: ViewController? { children.last }

    /// Replaces the stack.
    public func setViewControllers(_ controllers: [ViewController]) {
        replaceChildren(with: controllers)
    }

    /// Puts a controller on top of the stack, and shows it.
    public func pushViewController(_ controller: ViewController) {
        setViewControllers(viewControllers.filter { $0 !== controller } + [controller])
    }

    /// Takes the top off the stack, unless it is the bottom.
    @discardableResult
    public func popViewController() -> ViewController? {
        guard children.count > 1 else { return nil }
        return pop(to: children.count - 2).last
    }

    /// Takes off the stack what lies above a controller.
    ///
    /// - Returns: what was taken off, the lowest first; nothing if the stack does not hold it.
    @discardableResult
    public func popToViewController(_ controller: ViewController) -> [ViewController] {
        guard let index = children.firstIndex(where: { $0 === controller }) else { return [] }
        return pop(to: index)
    }

    /// Takes all but the bottom off the stack.
    ///
    /// - Returns: what was taken off, the lowest first.
    @discardableResult
    public func popToRootViewController() -> [ViewController] { pop(to: 0) }

    private func pop(to index: Int) -> [ViewController] {
        let popped = Array(children.dropFirst(index + 1))
        if !popped.isEmpty { setViewControllers(Array(children.prefix(index + 1))) }
        return popped
    }

    /// A person goes back to the controller below.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is none.
    open func goBack() throws(OperationError) {
        guard popViewController() != nil else {
            throw .notPossible("its stack has nothing to go back to")
        }
    }

    /// The controller that ``goBack()`` leaves, or `nil` if there is nothing to go back to.
    package var controllerLeftByGoingBack: ViewController? {
        children.count > 1 ? children.last : nil
    }

    /// Puts a controller on top of the stack.
    open override func show(_ controller: ViewController) {
        pushViewController(controller)
    }

    override var childToShow: ViewController? { topViewController }

    override func childrenDidChange() {
        updateShownChild()
        invalidateRestorableState()
    }

    /// A view with the bar.
    open override func makeView() -> View { NavigationView() }

    /// Takes in the controllers that a storyboard states, as the stack.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setViewControllers(children)
    }

    /// The titles of the stack, its bottom's first.
    open override var properties: [Property] {
        [Property("stack", self.viewControllers.map(\.title).inspected)] + super.properties
    }

    // MARK: Preservation

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
        let restored = saved.prefix { $0?.canBeLinked(to: self) ?? false }.compactMap(\.self)
        if !restored.isEmpty, !restored.elementsEqual(viewControllers, by: ===) {
            setViewControllers(restored)
        }
    }
}

/// A navigation controller's bar: the way back and the left buttons, the title, the right ones.
final class NavigationView: View {
    override func draw(on canvas: inout TextCanvas) {
        guard let controller = owner as? NavigationController else { return }
        let item = controller.topViewController?.existingNavigationItem
        let back = controller.viewControllers.dropLast().last.map { "‹ \($0.title)" }
        let leftItems = shown(item?.leftBarButtonItems)
        let rightItems = Array(shown(item?.rightBarButtonItems).reversed())
        let left = TextRow(
            [back].compactMap(\.self) + leftItems.map(\.drawnTitle), separator: "  ",
            width: canvas.width)
        let right = TextRow(
            rightItems.map(\.drawnTitle), separator: "  ", width: canvas.width)
        let start = canvas.bar(
            left: left.text, title: item?.title ?? controller.topViewController?.title ?? "",
            right: right.text)
        if back != nil { canvas.note(.back, of: controller, columns: left.columns[0]) }
        let isLeft = 0..<(start ?? canvas.width)
        for (item, columns) in zip(leftItems, left.columns.suffix(leftItems.count)) {
            canvas.note(.view, of: item, columns: columns.clamped(to: isLeft))
        }
        for (item, columns) in zip(rightItems, right.columns) {
            guard let start else { break }
            canvas.note(
                .view, of: item, columns: columns.lowerBound + start..<columns.upperBound + start)
        }
        canvas.note(.bar)
        canvas.rule()
        super.draw(on: &canvas)
    }

    private func shown(_ items: [BarButtonItem]?) -> [BarButtonItem] {
        (items ?? []).filter { !$0.isHidden }
    }
}
