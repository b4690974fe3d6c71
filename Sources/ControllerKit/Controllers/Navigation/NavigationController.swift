import ExactText
public import StateRestoration

/// A container that manages a stack of view controllers and shows the top controller below a navigation bar.
///
/// A navigation controller preserves its stack (P10).
open class NavigationController: ViewController, BackNavigating {
    private static let stackKey: StaticString = "viewControllers"

    /// Creates a navigation controller with one controller in its stack.
    ///
    /// - Parameter rootViewController: The controller at the bottom of the stack.
    public convenience init(rootViewController: ViewController) {
        self.init()
        setViewControllers([rootViewController])
    }

    /// The controllers in the stack, bottom first.
    ///
    /// Setting this property replaces the stack.
    public var viewControllers: [ViewController] {
        get { children }
        set { setViewControllers(newValue) }
    }

    /// The controller at the top of the stack, or `nil` if the stack is empty.
    public var topViewController: ViewController? { children.last }

    /// Replaces the controllers in the stack.
    public func setViewControllers(_ controllers: [ViewController]) {
        replaceChildren(with: controllers)
    }

    /// Pushes a controller onto the stack and shows it.
    public func pushViewController(_ controller: ViewController) {
        setViewControllers(viewControllers.filter { $0 !== controller } + [controller])
    }

    /// Pops the top controller from the stack, unless it is the only controller.
    ///
    /// - Returns: The popped controller, or `nil` if no controller was popped.
    @discardableResult
    public func popViewController() -> ViewController? {
        guard children.count > 1 else { return nil }
        return pop(to: children.count - 2).last
    }

    /// Pops all controllers above the given controller from the stack.
    ///
    /// - Returns: The popped controllers, bottom first, or an empty array if the stack does not contain the controller.
    @discardableResult
    public func popToViewController(_ controller: ViewController) -> [ViewController] {
        guard let index = children.firstIndex(where: { $0 === controller }) else { return [] }
        return pop(to: index)
    }

    /// Pops all controllers except the bottom controller from the stack.
    ///
    /// - Returns: The popped controllers, bottom first.
    @discardableResult
    public func popToRootViewController() -> [ViewController] { pop(to: 0) }

    private func pop(to index: Int) -> [ViewController] {
        let poppedControllers = Array(children.dropFirst(index + 1))
        if !poppedControllers.isEmpty { setViewControllers(Array(children.prefix(index + 1))) }
        return poppedControllers
    }

    /// Goes back to the previous controller on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if the stack contains at most one controller.
    open func goBack() throws(OperationError) {
        guard popViewController() != nil else {
            throw .notPossible("its stack contains only the root controller")
        }
    }

    /// The controller that ``goBack()`` pops, or `nil` if there is nothing to go back to.
    package var controllerToPop: ViewController? {
        children.count > 1 ? children.last : nil
    }

    /// Pushes a controller onto the stack.
    open override func show(_ controller: ViewController) {
        pushViewController(controller)
    }

    override var childToShow: ViewController? { topViewController }

    override func childrenDidChange() {
        updateShownChild()
        invalidateRestorableState()
    }

    /// Creates a view with a navigation bar.
    open override func makeView() -> View { NavigationView() }

    /// Sets the stack to the controllers that a storyboard lists.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setViewControllers(children)
    }

    /// The titles of the controllers in the stack, bottom first.
    open override var properties: [Property] {
        [Property("stack", self.viewControllers.map(\.title).inspectionValue)] + super.properties
    }

    // MARK: Preservation

    /// Always `true`, because a stack can contain several controllers with equal identifiers (I3).
    open override var allowsDuplicateChildIdentifiers: Bool { true }

    /// The key under which the stack is encoded.
    ///
    /// If a controller cannot be restored, the controllers above it are not restored either (R8).
    open override var restorationStackKey: StaticString? { Self.stackKey }

    /// Encodes the stack from bottom to top, omitting controllers without an identifier (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        let identifiedControllers = viewControllers.filter { $0.restorationIdentifier != nil }
        coder.encode(identifiedControllers, forKey: Self.stackKey)
    }

    /// Rebuilds the saved stack, up to the first controller that could not be restored (R8, R9).
    ///
    /// If no saved controller was restored, the stack that the launch created does not change.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        let savedControllers =
            try coder.decodeObjects(ViewController.self, forKey: Self.stackKey) ?? []
        let restoredControllers = savedControllers.prefix { $0?.canBeLinked(to: self) ?? false }
            .compactMap(\.self)
        if !restoredControllers.isEmpty,
            !restoredControllers.elementsEqual(viewControllers, by: ===)
        {
            setViewControllers(restoredControllers)
        }
    }
}

/// The view of a navigation controller.
///
/// Its bar shows the back button, the left buttons, the title and the right buttons.
final class NavigationView: View {
    override func draw(on canvas: inout TextCanvas) {
        guard let controller = owner as? NavigationController else { return }
        let item = controller.topViewController?.existingNavigationItem
        let backTitle = controller.viewControllers.dropLast().last.map { "‹ \($0.title)" }
        let leftItems = visibleItems(item?.leftBarButtonItems)
        let rightItems = Array(visibleItems(item?.rightBarButtonItems).reversed())
        let leftRow = TextRow(
            [backTitle].compactMap(\.self) + leftItems.map(\.drawnTitle), separator: "  ",
            width: canvas.width)
        let rightRow = TextRow(
            rightItems.map(\.drawnTitle), separator: "  ", width: canvas.width)
        let rightStartColumn = canvas.bar(
            left: leftRow.text, title: item?.title ?? controller.topViewController?.title ?? "",
            right: rightRow.text)
        if backTitle != nil {
            canvas.addPart(.backButton, of: controller, columns: leftRow.columns[0])
        }
        let leftColumns = 0..<(rightStartColumn ?? canvas.width)
        for (item, columns) in zip(leftItems, leftRow.columns.suffix(leftItems.count)) {
            canvas.addPart(.view, of: item, columns: columns.clamped(to: leftColumns))
        }
        for (item, columns) in zip(rightItems, rightRow.columns) {
            guard let rightStartColumn else { break }
            canvas.addPart(
                .view, of: item,
                columns: columns.lowerBound + rightStartColumn..<columns.upperBound
                    + rightStartColumn)
        }
        canvas.addPart(.bar)
        canvas.rule()
        super.draw(on: &canvas)
    }

    override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        let content = accessibilityElements(of: subviews, maximumRows: maximumRows)
        guard let controller = owner as? NavigationController else { return content }
        let item = controller.topViewController?.existingNavigationItem
        var bar = AccessibilityElement(
            .navigation, label: item?.title ?? controller.topViewController?.title ?? "",
            target: controller)
        if let previousController = controller.viewControllers.dropLast().last {
            var backButton = AccessibilityElement(
                .button, label: previousController.title, target: controller)
            backButton.actions = [.back]
            bar.children = [backButton]
        }
        let items =
            visibleItems(item?.leftBarButtonItems)
            + visibleItems(item?.rightBarButtonItems).reversed()
        bar.children += accessibilityElements(of: items, maximumRows: maximumRows)
        return [bar] + content
    }

    private func visibleItems(_ items: [BarButtonItem]?) -> [BarButtonItem] {
        (items ?? []).filter { !$0.isHidden }
    }
}
