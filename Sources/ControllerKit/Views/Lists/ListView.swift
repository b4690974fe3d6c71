public import FoundationEssentials
public import StateRestoration

/// A view that shows the elements of a model in order and lets the user select elements.
///
/// ``TableView`` and ``CollectionView`` are subclasses of this class.
///
/// A list preserves the selected elements, the first visible element, and whether it is in edit mode (V2). If the data
/// source conforms to ``DataSourceModelAssociation``, the list saves the model identifiers of these elements.
/// Otherwise, it saves their index paths (V3).
///
/// After a change to the model, call ``reloadData()``, ``insertElements(at:)``, ``deleteElements(at:)`` or
/// ``moveElement(at:to:)``. Each of these methods preserves the selection and the visible part of the list. If the
/// number of elements changes without such a call, the list detects the change before its next operation.
open class ListView: ScrollView {
    /// The object that provides the elements, or `nil` if there is none.
    ///
    /// The list holds a weak reference to it. Without a data source, the list is empty.
    public weak var dataSource: (any ListViewDataSource)? {
        didSet {
            if dataSource !== oldValue { deletionUndos = [] }
            reloadData()
            let hadAssociation = oldValue is any DataSourceModelAssociation
            if hadAssociation != (modelAssociation != nil) { restorableStateDidChange() }
        }
    }

    /// The object that is notified of user actions, or `nil` if there is none.
    ///
    /// The list holds a weak reference to it.
    public weak var delegate: (any ListViewDelegate)?

    /// Whether several elements can be selected at once.
    ///
    /// When you set this property to `false`, only the first selected element stays selected.
    public var allowsMultipleSelection = false {
        didSet { if !allowsMultipleSelection { replaceSelection(selection.prefix(1)) } }
    }

    /// Whether the user can move and delete elements.
    ///
    /// In edit mode, a tap selects an element instead of opening it.
    public var isEditing = false {
        didSet { if isEditing != oldValue { restorableStateDidChange() } }
    }

    /// The layout of the elements when the list last read the data source.
    var layout = ListLayout()
    /// The selected elements, sorted by index path.
    var selection: [ElementReference] = []
    /// The first visible element, or `nil` in an empty list.
    var firstVisibleElement: ElementReference?
    /// The restored elements that the list is still searching for, or `nil` if it is not searching.
    ///
    /// While the list is searching, these elements are saved instead of the current elements.
    var restoredState: SavedListState? {
        didSet { if restoredState == nil, oldValue != nil { restorableStateDidChange() } }
    }
    /// Whether the search for restored elements continues after the scene's restoration, because the list had no
    /// elements.
    var awaitsElements = false
    /// Whether the list itself is setting the offset, so that the change is not treated as scrolling.
    var isAdjustingOffset = false
    /// Maximum number of deletions that the user can undo.
    static let maximumDeletionUndos = 100
    /// Closures that undo the user's most recent deletions, newest last.
    var deletionUndos: [() -> Void] = []
    /// The notifications received during a change that the list has requested, or `nil` if no such change is in
    /// progress.
    var notifications: DataSourceNotifications?

    /// Number of elements per line.
    var elementsPerLine: Int { 1 }

    // MARK: Visible part

    /// Updates the content size after the visible size has changed.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        updateContentSize()
    }

    /// Updates the first visible element after the content offset has changed.
    open override func contentOffsetDidChange() {
        super.contentOffsetDidChange()
        guard !isAdjustingOffset else { return }
        restoredState = nil
        updateFirstVisibleElement()
    }

    // MARK: Appearance

    /// Draws the visible elements and, if some elements are not visible, a line that states the visible range.
    open override func draw(on canvas: inout TextCanvas) {
        drawElements(on: &canvas)
        for view in subviews where !view.isHidden { canvas.draw(view) }
    }

    /// Returns an element for the list, followed by the elements of the subviews. The list's rows begin with the first
    /// visible row.
    open override func accessibilityElements(maximumRows: Int) -> [AccessibilityElement] {
        [accessibilityList(maximumRows: maximumRows)]
            + accessibilityElements(of: subviews, maximumRows: maximumRows)
    }

    /// Roles of the list and of its elements.
    var accessibilityRoles: (list: AccessibilityRole, element: AccessibilityRole) { (.table, .row) }

    override func contentHeight(columns: Int) -> Int { lineCount(currentLayout()) }

    /// Draws the elements of one line and returns the columns that each element occupies.
    func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas) -> [Range<Int>] { [] }

    /// The list's settings, the number of elements, the selection, and the visible elements.
    open override var properties: [Property] {
        [
            Property("allowsMultipleSelection", of: self, \.allowsMultipleSelection),
            Property("isEditing", of: self, \.isEditing),
            Property("numberOfElements", self.currentLayout().count.inspectionValue),
            Property(
                "selectedElements", .array(self.numbers(of: self.indexPathsForSelectedElements))),
            Property(
                "firstVisibleElement",
                self.indexPathForFirstVisibleElement.flatMap { self.numbers(of: [$0]).first }),
            Property("visibleElements", self.inspectedElements(self.currentLayout())),
        ] + super.properties
    }

    private func numbers(of indexPaths: [IndexPath]) -> [StoredValue] {
        indexPaths.compactMap(currentLayout().number).map(\.inspectionValue)
    }

    // MARK: User operations

    /// Scrolls on behalf of the user.
    open override func scroll(to point: Point) throws(OperationError) {
        reloadIfNeeded()
        try super.scroll(to: point)
    }

    /// Throws an error because a list cannot be zoomed.
    open override func zoom(to scale: Double) throws(OperationError) {
        throw .notPossible("a list cannot be zoomed")
    }

    // MARK: Preservation

    /// Encodes the selection, the first visible element and the edit mode (V2, V3).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(isEditing, forKey: "isEditing")
        (restoredState ?? savedListState).encode(with: coder)
    }

    /// Decodes the edit mode, the selection and the first visible element.
    ///
    /// After every object has decoded its state, the list repeats the search for restored elements that it has not
    /// found.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let isEditing = try coder.decode(Bool.self, forKey: "isEditing") {
            self.isEditing = isEditing
        }
        let savedState = try SavedListState(coder, scrollOffset: contentOffset.y)
        restoredState = savedState
        awaitsElements = false
        apply(savedState)
    }

    /// Selects restored elements that the list had not found before.
    ///
    /// If the list has no elements yet, the search continues until it has some.
    open override func applicationFinishedRestoringState() {
        isAdjustingOffset = true
        super.applicationFinishedRestoringState()
        isAdjustingOffset = false
        guard let restoredState else { return updateFirstVisibleElement() }
        apply(restoredState)
        awaitsElements = layout.count == 0 && !restoredState.usesIndexPaths
        if !awaitsElements { self.restoredState = nil }
    }

    /// Total number of elements in all sections.
    public var numberOfElements: Int { currentLayout().count }

    /// Returns the index path of an element, or `nil` if the element does not exist.
    ///
    /// - Parameter number: The zero-based number of the element across all sections.
    public func indexPath(ofElement number: Int) -> IndexPath? {
        currentLayout().indexPath(of: number)
    }

    /// Returns the zero-based number of an element across all sections, or `nil` if the element does not exist.
    public func number(ofElementAt indexPath: IndexPath) -> Int? {
        currentLayout().number(of: indexPath)
    }

    /// The index path of the first visible element, or `nil` in an empty list.
    public var indexPathForFirstVisibleElement: IndexPath? {
        let layout = currentLayout()
        return layout.indexPath(of: firstVisibleLine(layout) * elementsPerLine)
    }

    /// Scrolls until an element is the first visible element or the end of the list is visible.
    public func scrollToElement(at indexPath: IndexPath) {
        reloadIfNeeded()
        guard let number = layout.number(of: indexPath) else { return }
        contentOffset.y = Double(number / elementsPerLine)
    }

    /// The data source, if it provides model identifiers, or `nil` otherwise.
    var modelAssociation: (any DataSourceModelAssociation)? {
        dataSource as? any DataSourceModelAssociation
    }

    /// Returns the layout of the data source's current elements.
    func currentLayout() -> ListLayout {
        guard let dataSource else { return ListLayout() }
        let sections = min(dataSource.numberOfSections(in: self), ListLayout.maximumSectionCount)
        return ListLayout(
            elementCounts: (0..<max(0, sections)).lazy.map {
                dataSource.listView(self, numberOfElementsInSection: $0)
            })
    }

    /// Returns the number of lines that the elements occupy.
    func lineCount(_ layout: ListLayout) -> Int {
        (layout.count + elementsPerLine - 1) / elementsPerLine
    }

    /// Returns the first visible line in a layout. The layout can be newer than the list's own layout.
    func firstVisibleLine(_ layout: ListLayout) -> Int {
        Int(flooring: contentOffset.y).clamped(0, max(0, lineCount(layout) - 1))
    }
}

/// A list that shows one row per line.
///
/// A table preserves its selection, its first visible row and its edit mode (V2).
open class TableView: ListView {
    /// Draws the text of a row after a mark that shows whether the row is selected, with the detail at the right edge.
    override func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas)
        -> [Range<Int>]
    {
        guard let row = elements.first else { return [] }
        var detail = TextCanvas(width: canvas.width / 2)
        detail.trailing(row.element.detail)
        let trailing = [String(detail.lines[0].drop { $0 == " " }), row.moveSign]
        canvas.line(
            row.deleteSign + row.selectionMark + row.element.text,
            trailing: trailing.filter { !$0.isEmpty }.joined(separator: " "))
        return [0..<canvas.width]
    }
}
