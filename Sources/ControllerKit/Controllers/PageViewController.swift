public import StateRestoration

/// Makes the pages of a page controller as a person turns to them.
public protocol PageViewControllerDataSource: AnyObject {
    /// The page before another; nil if that is the first.
    func pageViewController(
        _ controller: PageViewController, viewControllerBefore page: ViewController
    ) -> ViewController?

    /// The page after another; nil if that is the last.
    func pageViewController(
        _ controller: PageViewController, viewControllerAfter page: ViewController
    ) -> ViewController?
}

/// A container that shows one of its pages. Preserves which (P10).
///
/// The pages are its children. With a ``dataSource`` the only one is the current one: the others
/// are made when a person turns to them.
open class PageViewController: ViewController, ElementChoosing, BackNavigating, ForwardNavigating,
    ChildChoosing
{
    var choice = ChildChoice()

    /// Makes pages on demand; nil: all pages there are were set.
    public weak var dataSource: (any PageViewControllerDataSource)?

    /// The pages, in order.
    public var pages: [ViewController] { children }

    /// Replaces the pages. The current one stays so if it is among them.
    public func setPages(_ pages: [ViewController]) {
        replaceChildren(with: pages)
    }

    /// The page that is shown; nil if there are none. Setting what is no page changes nothing.
    public var currentPage: ViewController? {
        get { chosenChild }
        set { chosenChild = newValue }
    }

    /// Where the current page stands, counted from 0.
    ///
    /// Setting an index that no page has turns to the nearest. An index that is set while there are
    /// no pages waits: the nearest is shown until the page comes, or another is turned to.
    public var currentIndex: Int {
        get { chosenIndex }
        set { chosenIndex = newValue }
    }

    // MARK: What a person does

    /// A person turns to a page of those there are.
    open func choose(_ indexes: [Int]) throws(OperationError) {
        currentIndex = try children.onlyIndex(of: indexes, "page")
    }

    /// A person turns to the next page.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is none.
    open func goForward() throws(OperationError) {
        if currentIndex + 1 < children.count {
            currentIndex += 1
        } else {
            try turn("it shows its last page") {
                dataSource?.pageViewController(self, viewControllerAfter: $0)
            }
        }
    }

    /// A person turns to the page before.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is none.
    open func goBack() throws(OperationError) {
        if currentPage != nil, currentIndex > 0 {
            currentIndex -= 1
        } else {
            try turn("it shows its first page") {
                dataSource?.pageViewController(self, viewControllerBefore: $0)
            }
        }
    }

    private func turn(
        _ refusal: String, to page: (ViewController) -> ViewController?
    ) throws(OperationError) {
        guard let next = currentPage.flatMap(page) else { throw .notPossible(refusal) }
        setPages([next])
    }

    override var childToShow: ViewController? { currentPage }

    override func childrenDidChange() {
        updateChoice()
    }

    /// A view with a row of dots, one for each page.
    open override func makeView() -> View { PageView() }

    // MARK: Storyboard

    /// Takes in the controllers that a storyboard states, as the pages.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        setPages(children)
    }

    /// How many pages there are, and which is shown.
    open override var properties: [Property] {
        [
            Property("pageCount", self.children.count.inspected),
            Property("currentIndex", of: self, \.currentIndex, in: 0 ... .max),
        ] + super.properties
    }

    // MARK: Preservation

    /// Stores the identified pages, and the current one (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        encodeChoice(with: coder, children: "pages", chosen: "currentPage")
    }

    /// Links pages that were made anew behind those that stood before them (R9), and turns to the
    /// current one. If that was not restored, the launch's page stays.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        try decodeStoryboardChildren(with: coder)
        let saved = try coder.decodeObjects(ViewController.self, forKey: "pages") ?? []
        let current: ViewController? = try coder.decodeObject(forKey: "currentPage")
        if dataSource != nil {
            guard let current, current.canBeLinked(to: self) else { return }
            if !children.elementsEqual([current], by: ===) { setPages([current]) }
        } else {
            relinkChoice(saved, chosen: current)
        }
    }
}

/// The page that is shown, above a row of dots.
final class PageView: View {
    override func draw(on canvas: inout TextCanvas) {
        super.draw(on: &canvas)
        guard let controller = owner as? PageViewController else { return }
        let count = controller.pages.count
        guard count > 1 else { return }
        let dots = (0..<count).map { $0 == controller.currentIndex ? "●" : "○" }
            .joined(separator: " ")
        guard dots.count <= canvas.width else {
            return canvas.centered("\(controller.currentIndex + 1) / \(count)")
        }
        canvas.centered(dots)
        let start = (canvas.width - dots.count) / 2
        for index in 0..<count {
            let column = start + 2 * index
            canvas.note(
                .element(index, isChosen: index == controller.currentIndex), of: controller,
                columns: column..<column + 1)
        }
    }
}
