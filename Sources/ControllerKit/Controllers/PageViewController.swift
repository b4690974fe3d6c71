public import StateRestoration

/// Methods that create a page view controller's pages on demand.
public protocol PageViewControllerDataSource: AnyObject {
    /// Returns the page that precedes the given page, or `nil` if the given page is the first.
    func pageViewController(
        _ controller: PageViewController, viewControllerBefore page: ViewController
    ) -> ViewController?

    /// Returns the page that follows the given page, or `nil` if the given page is the last.
    func pageViewController(
        _ controller: PageViewController, viewControllerAfter page: ViewController
    ) -> ViewController?
}

/// A container that shows one of its pages at a time.
///
/// A page view controller preserves its pages and the current page (P10).
///
/// The pages are the controller's children. If the controller has a ``dataSource``, the current page is the only child,
/// and the data source creates the other pages as the user turns to them.
open class PageViewController: ViewController, ElementSelecting, BackNavigating, ForwardNavigating,
    ChildSelecting
{
    var childSelection = ChildSelection()

    /// The object that creates pages on demand, or `nil` if all pages are set with ``setPages(_:)``.
    public weak var dataSource: (any PageViewControllerDataSource)?

    /// The pages, from the first to the last.
    public var pages: [ViewController] { children }

    /// Replaces the pages.
    ///
    /// The current page stays current if it is one of the new pages.
    public func setPages(_ pages: [ViewController]) {
        replaceChildren(with: pages)
    }

    /// The page that is currently shown, or `nil` if there are no pages.
    ///
    /// Setting a controller that is not a page has no effect.
    public var currentPage: ViewController? {
        get { selectedChild }
        set { selectedChild = newValue }
    }

    /// The zero-based index of the current page.
    ///
    /// If you set an index that is too large, the last page is shown. If you set an index before there are any pages,
    /// the controller stores the index and shows the page with that index once the page has been added. Until then, the
    /// nearest page is shown.
    public var currentIndex: Int {
        get { selectedChildIndex }
        set { selectedChildIndex = newValue }
    }

    // MARK: User operations

    /// Turns to the page with the given index in ``pages`` on behalf of the user.
    open func select(_ indexes: [Int]) throws(OperationError) {
        currentIndex = try children.onlyIndex(of: indexes, "page")
    }

    /// Turns to the next page on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is no next page.
    open func goForward() throws(OperationError) {
        if currentIndex < children.count - 1 {
            currentIndex += 1
        } else {
            try turnPage("its last page is already shown") {
                dataSource?.pageViewController(self, viewControllerAfter: $0)
            }
        }
    }

    /// Turns to the previous page on behalf of the user.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is no previous page.
    open func goBack() throws(OperationError) {
        if currentPage != nil, currentIndex > 0 {
            currentIndex -= 1
        } else {
            try turnPage("its first page is already shown") {
                dataSource?.pageViewController(self, viewControllerBefore: $0)
            }
        }
    }

    private func turnPage(
        _ reason: String, to makePage: (ViewController) -> ViewController?
    ) throws(OperationError) {
        guard let nextPage = currentPage.flatMap(makePage) else { throw .notPossible(reason) }
        setPages([nextPage])
    }

    override var childToShow: ViewController? { currentPage }

    override func childrenDidChange() {
        updateChildSelection()
    }

    /// Creates a view with a row of dots, one for each page.
    open override func makeView() -> View { PageView() }

    // MARK: Storyboard

    /// Sets the pages to the controllers that a storyboard lists.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setPages(children)
    }

    /// The number of pages and the index of the current page.
    open override var properties: [Property] {
        [
            Property("pageCount", self.children.count.inspectionValue),
            Property("currentIndex", of: self, \.currentIndex, in: 0 ... .max),
        ] + super.properties
    }

    // MARK: Preservation

    /// Encodes the pages that have identifiers, and a reference to the current page (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        encodeChildSelection(with: coder, children: "pages", selected: "currentPage")
    }

    /// Adds the recreated pages at their saved positions (R9) and turns to the saved current page.
    ///
    /// If that page was not restored, the current page does not change.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        try decodeStoryboardChildren(with: coder)
        let savedPages = try coder.decodeObjects(ViewController.self, forKey: "pages") ?? []
        let savedCurrentPage: ViewController? = try coder.decodeObject(forKey: "currentPage")
        if dataSource != nil {
            guard let savedCurrentPage, savedCurrentPage.canBeLinked(to: self) else { return }
            if !children.elementsEqual([savedCurrentPage], by: ===) { setPages([savedCurrentPage]) }
        } else {
            restoreChildSelection(savedPages, selected: savedCurrentPage)
        }
    }
}

/// The view of a page view controller.
///
/// It draws the current page above a row of dots.
final class PageView: View {
    override func draw(on canvas: inout TextCanvas) {
        guard let controller = owner as? PageViewController, controller.pages.count > 1 else {
            return super.draw(on: &canvas)
        }
        canvas.drawReservingLines(1) { super.draw(on: &$0) }
        let count = controller.pages.count
        let dots = (0..<count).map { $0 == controller.currentIndex ? "●" : "○" }
            .joined(separator: " ")
        guard dots.count <= canvas.width else {
            return canvas.centered("\(controller.currentIndex + 1) / \(count)")
        }
        canvas.centered(dots)
        let start = (canvas.width - dots.count) / 2
        for index in 0..<count {
            let column = start + 2 * index
            canvas.addPart(
                .element(index, isSelected: index == controller.currentIndex), of: controller,
                columns: column..<column + 1)
        }
    }

    override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        let content = accessibilityElements(of: subviews, maximumRows: maximumRows)
        guard let controller = owner as? PageViewController else { return content }
        var bar = AccessibilityElement(.navigation, label: "Pages", target: controller)
        if controller.currentPage != nil {
            // A data source may provide further pages.
            let mayHaveMorePages = controller.dataSource != nil
            if mayHaveMorePages || controller.currentIndex > 0 { bar.actions.append(.back) }
            if mayHaveMorePages || controller.currentIndex < controller.pages.count - 1 {
                bar.actions.append(.forward)
            }
        }
        if controller.pages.count > 1 {
            bar.number = (
                Double(controller.currentIndex), 0, Double(controller.pages.count - 1)
            )
        }
        return content + [bar]
    }
}
