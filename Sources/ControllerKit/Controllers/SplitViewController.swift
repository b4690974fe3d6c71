public import StateRestoration

/// A container that shows up to three view controllers side by side.
///
/// A split view controller preserves its columns (P10).
open class SplitViewController: ViewController {
    /// A column of a split view controller.
    ///
    /// The cases are ordered from left to right.
    public enum Column: String, Sendable, CaseIterable {
        /// The left column, for the top level of navigation.
        case primary
        /// The middle column.
        case supplementary
        /// The right column, which shows details.
        case secondary
    }

    /// The controllers in the columns. Empty columns are omitted.
    private var columns: [Column: ViewController] = [:]

    /// The controllers in the columns, from left to right.
    public var viewControllers: [ViewController] {
        Column.allCases.compactMap { columns[$0] }
    }

    /// Returns the controller in a column, or `nil` if the column is empty.
    public func viewController(for column: Column) -> ViewController? { columns[column] }

    /// Moves a controller into a column, or empties the column if the controller is `nil`.
    public func setViewController(_ controller: ViewController?, for column: Column) {
        var columns = columns.filter { $0.value !== controller }
        columns[column] = controller
        setColumns(columns)
    }

    private func setColumns(_ columns: [Column: ViewController]) {
        let otherChildren = children.filter { child in
            !self.columns.values.contains { $0 === child }
        }
        let shownControllers = Column.allCases.compactMap { columns[$0] }
        replaceChildren(
            with: otherChildren.filter { other in !shownControllers.contains { $0 === other } }
                + shownControllers
        ) {
            self.columns = columns
        }
    }

    private func updateColumns() {
        guard let loadedView else { return }
        for controller in viewControllers {
            // Loading the view can change the columns.
            let view = controller.view
            if view.superview !== loadedView, columns.values.contains(where: { $0 === controller })
            {
                loadedView.addSubview(view)
            }
        }
    }

    /// Shows a controller in the secondary column.
    open override func showDetail(_ controller: ViewController) {
        setViewController(controller, for: .secondary)
    }

    override func childrenDidChange() {
        for (column, controller) in columns
        where !hasChild(controller) {
            columns[column] = nil
            if let view = controller.loadedView, view.superview === loadedView {
                view.removeFromSuperview()
            }
        }
        updateColumns()
        invalidateRestorableState()
    }

    override var childrenToShow: [ViewController] { viewControllers }

    /// Creates a view that shows the columns side by side.
    open override func makeView() -> View { SplitView() }

    /// Shows the columns.
    open override func viewDidLoad() {
        super.viewDidLoad()
        updateColumns()
    }

    // MARK: Storyboard

    /// The maximum number of child controllers in a storyboard, which is the number of columns.
    open override class var maximumStoryboardChildren: Int { Column.allCases.count }

    /// Places the children from a storyboard in the columns.
    ///
    /// A single child is placed in the primary column. Two children are placed in the primary and secondary columns.
    /// Three children fill all columns.
    open override func setStoryboardChildren(_ children: [ViewController]) {
        let targetColumns: [Column] = children.count < 3 ? [.primary, .secondary] : Column.allCases
        setColumns(Dictionary(zip(targetColumns, children)) { first, _ in first })
    }

    /// The titles of the controllers in the columns.
    open override var properties: [Property] {
        let titles = columns.map { ($0.key.rawValue, $0.value.title.inspectionValue) }
        return [Property("columns", .dictionary(Dictionary(uniqueKeysWithValues: titles)))]
            + super.properties
    }

    // MARK: Preservation

    /// Always `true`, because two columns can contain controllers with equal identifiers (I3).
    open override var allowsDuplicateChildIdentifiers: Bool { true }

    /// Encodes the controllers that have identifiers, keyed by column name (P10).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        var identifiedControllers: [String: any StateRestoring] = [:]
        for (column, controller) in columns where controller.restorationIdentifier != nil {
            identifiedControllers[column.rawValue] = controller
        }
        coder.encode(identifiedControllers, forKey: "columns")
        encodeStoryboardChildren(with: coder)
    }

    /// Places the restored controllers in their saved columns (R9).
    ///
    /// If a column's saved controller was not restored, the column keeps the controller that the launch created.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        try decodeStoryboardChildren(with: coder)
        let savedControllers =
            try coder.decodeNamedObjects(ViewController.self, forKey: "columns") ?? [:]
        var restoredControllers: [Column: ViewController] = [:]
        for column in Column.allCases {
            guard let controller = savedControllers[column.rawValue] ?? nil,
                controller.canBeLinked(to: self),
                !restoredControllers.values.contains(where: { $0 === controller })
            else { continue }
            restoredControllers[column] = controller
        }
        var columns = columns.filter { _, existing in
            !restoredControllers.values.contains { $0 === existing }
        }
        columns.merge(restoredControllers) { _, restoredControllers in restoredControllers }
        let areColumnsChanged = Column.allCases.contains { columns[$0] !== self.columns[$0] }
        if areColumnsChanged { setColumns(columns) }
    }
}

/// The view of a split view controller.
///
/// It draws the columns side by side and all other subviews below the columns.
final class SplitView: View {
    /// Minimum width of a column, in terminal columns.
    ///
    /// If there is not enough space, the controllers are drawn one below the other.
    private static let minimumColumnWidth = 8

    override func draw(on canvas: inout TextCanvas) {
        let columnViews =
            (owner as? SplitViewController)?.viewControllers.compactMap(\.loadedView) ?? []
        let shownViews = columnViews.filter { $0.superview === self && !$0.isHidden }
        var canvases = canvas.columns(shownViews.count)
        if canvases.contains(where: { $0.width < Self.minimumColumnWidth }) {
            canvases = shownViews.map { _ in TextCanvas(width: canvas.width) }
        }
        for (index, view) in shownViews.enumerated() { canvases[index].draw(view) }
        if canvases.first?.width == canvas.width {
            for part in canvases { canvas.append(part) }
        } else {
            canvas.sideBySide(canvases)
        }
        for view in subviews where !view.isHidden && !columnViews.contains(where: { $0 === view }) {
            canvas.draw(view)
        }
    }

    override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        let controllers = (owner as? SplitViewController)?.viewControllers ?? []
        let columns = controllers.compactMap { controller -> AccessibilityElement? in
            guard let view = controller.loadedView, view.superview === self, !view.isHidden else {
                return nil
            }
            var column = AccessibilityElement(.group, label: controller.title, target: controller)
            column.children = view.accessibilityElements(maximumRows: maximumRows)
            return column
        }
        let otherViews = subviews.filter { view in
            !controllers.contains { $0.loadedView === view }
        }
        return columns + accessibilityElements(of: otherViews, maximumRows: maximumRows)
    }
}
