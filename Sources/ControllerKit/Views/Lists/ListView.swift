public import FoundationEssentials
public import StateRestoration

/// A view that shows the elements of a model in order and lets the user select some: the base of ``TableView`` and
/// ``CollectionView``.
///
/// A list preserves which elements are selected, which element is the first visible one, and whether it is in edit
/// mode (V2). If the data source is a ``DataSourceModelAssociation``, elements are saved by their model
/// identifiers. Otherwise they are saved by their index paths (V3).
///
/// After a change of the model, call ``reloadData()``, ``insertElements(at:)``, ``deleteElements(at:)`` or
/// ``moveElement(at:to:)``. Each method preserves the selection and the visible part. If a data source changes
/// without calling them, the list detects this before its next operation.
open class ListView: ScrollView {
    /// The object that provides the elements.
    ///
    /// The list holds it weakly and is empty without it.
    public weak var dataSource: (any ListViewDataSource)? {
        didSet {
            reloadData()
            let hadNames = oldValue is any DataSourceModelAssociation
            if hadNames != (association != nil) { restorableStateDidChange() }
        }
    }

    /// The object that is notified of user actions.
    ///
    /// The list holds it weakly.
    public weak var delegate: (any ListViewDelegate)?

    /// Whether several elements can be selected at once.
    ///
    /// When it is turned off, only the first selected element stays selected.
    public var allowsMultipleSelection = false {
        didSet { if !allowsMultipleSelection { replaceSelection(selection.prefix(1)) } }
    }

    /// Whether the user can move and delete elements.
    ///
    /// In edit mode, a tap selects an element instead of opening it.
    public var isEditing = false {
        didSet { if isEditing != oldValue { restorableStateDidChange() } }
    }

    /// The layout when the list last read the data source.
    var layout = ListLayout()
    /// The selected elements, in order.
    var selection: [RememberedElement] = []
    /// The first visible element, or `nil` in an empty list.
    var top: RememberedElement?
    /// The restored elements that the list still searches for, or `nil`.
    ///
    /// They are saved instead of the current elements.
    var restored: SavedElements? {
        didSet { if restored == nil, oldValue != nil { restorableStateDidChange() } }
    }
    /// Whether the rest of the scene is restored, but the list has no elements yet.
    var awaitsElements = false
    /// Whether the list itself sets the offset, so that the change is not handled like scrolling.
    var isPlacing = false
    /// The notifications from the data source while it is changing the model, or `nil` at other times.
    var answer: DataSourceAnswer?

    /// Number of elements in a line.
    var elementsPerLine: Int { 1 }

    // MARK: Visible part

    /// Updates the content size after the visible size changed.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        updateContentSize()
    }

    /// Stores the first visible element after the content offset changed.
    open override func contentOffsetDidChange() {
        super.contentOffsetDidChange()
        guard !isPlacing else { return }
        restored = nil
        rememberTop()
    }

    // MARK: Appearance

    /// Draws the visible elements, one line for each, and their range if not all elements are visible.
    open override func draw(on canvas: inout TextCanvas) {
        drawElements(on: &canvas)
        for view in subviews where !view.isHidden { canvas.draw(view) }
    }

    /// Draws the elements of one line.
    func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas) -> [Range<Int>] { [] }

    /// The selection settings, the number of elements, the selection, and the visible elements.
    open override var properties: [Property] {
        [
            Property("allowsMultipleSelection", of: self, \.allowsMultipleSelection),
            Property("isEditing", of: self, \.isEditing),
            Property("numberOfElements", self.currentLayout().count.inspected),
            Property(
                "selectedElements", .array(self.numbers(of: self.indexPathsForSelectedElements))),
            Property(
                "firstVisibleElement",
                self.indexPathForFirstVisibleElement.flatMap { self.numbers(of: [$0]).first }),
            Property("visibleElements", self.inspectedElements(self.currentLayout())),
        ] + super.properties
    }

    private func numbers(of paths: [IndexPath]) -> [StoredValue] {
        paths.compactMap(currentLayout().number).map(\.inspected)
    }

    // MARK: User operations

    /// Handles scrolling by the user.
    open override func scroll(to point: Point) throws(OperationError) {
        catchUp()
        try super.scroll(to: point)
    }

    /// Throws an error, because a list cannot be zoomed.
    open override func zoom(to scale: Double) throws(OperationError) {
        throw .notPossible("a list cannot be zoomed")
    }

    // MARK: Preservation

    /// Encodes the selection, the first visible element and the edit mode (V2, V3).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(isEditing, forKey: "isEditing")
        (restored ?? savedElements).encode(with: coder)
    }

    /// Decodes the edit mode, the selection and the first visible element.
    ///
    /// Elements that do not exist yet are searched for again after every object has decoded its state.
    open override func decodeRestorableState(with coder: StateDecoder) throws {
        try super.decodeRestorableState(with: coder)
        if let isEditing = try coder.decode(Bool.self, forKey: "isEditing") {
            self.isEditing = isEditing
        }
        let saved = try SavedElements(coder, offset: contentOffset.y)
        restored = saved
        awaitsElements = false
        apply(saved)
    }

    /// Selects the restored elements that were not found before.
    ///
    /// If the list has no elements yet, it continues to search for them until it is loaded.
    open override func applicationFinishedRestoringState() {
        isPlacing = true
        super.applicationFinishedRestoringState()
        isPlacing = false
        guard let restored else { return rememberTop() }
        apply(restored)
        awaitsElements = layout.count == 0 && !restored.isPositional
        if !awaitsElements { self.restored = nil }
    }

    /// Total number of elements in all sections.
    public var numberOfElements: Int { currentLayout().count }

    /// Returns the index path of an element, or `nil` if there is no such element.
    ///
    /// - Parameter number: The zero-based number of the element across all sections.
    public func indexPath(ofElement number: Int) -> IndexPath? {
        currentLayout().indexPath(of: number)
    }

    /// Returns the zero-based number of an element across all sections, or `nil` if there is no such element.
    public func number(ofElementAt indexPath: IndexPath) -> Int? {
        currentLayout().number(of: indexPath)
    }

    /// The index path of the first visible element, or `nil` in an empty list.
    public var indexPathForFirstVisibleElement: IndexPath? {
        let layout = currentLayout()
        return layout.indexPath(of: firstVisibleLine(layout) * elementsPerLine)
    }

    /// Scrolls until an element is the first visible element, or until the end of the list is visible.
    public func scrollToElement(at indexPath: IndexPath) {
        catchUp()
        guard let number = layout.number(of: indexPath) else { return }
        contentOffset.y = Double(number / elementsPerLine)
    }

    /// The data source, if it provides model identifiers.
    var association: (any DataSourceModelAssociation)? {
        dataSource as? any DataSourceModelAssociation
    }

    /// Returns the layout of the elements that the data source has now.
    func currentLayout() -> ListLayout {
        guard let dataSource else { return ListLayout() }
        let sections = min(dataSource.numberOfSections(in: self), ListLayout.maximumSections)
        return ListLayout(
            counts: (0..<max(0, sections)).lazy.map {
                dataSource.listView(self, numberOfElementsInSection: $0)
            })
    }

    /// Returns the number of lines that the elements take.
    func lineCount(_ layout: ListLayout) -> Int {
        (layout.count + elementsPerLine - 1) / elementsPerLine
    }

    /// Returns the first visible line of a layout, which can be newer than the layout of the list.
    func firstVisibleLine(_ layout: ListLayout) -> Int {
        Int(whole: contentOffset.y).clamped(0, max(0, lineCount(layout) - 1))
    }
}

/// A list that shows one row in each line.
///
/// It preserves its selection, its first visible row and its edit mode (V2).
open class TableView: ListView {
    /// Draws a row: a mark if it is selected, the text, and the detail at the right edge.
    override func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas)
        -> [Range<Int>]
    {
        guard let row = elements.first else { return [] }
        var detail = TextCanvas(width: canvas.width / 2)
        detail.trailing(row.element.detail)
        let trailing = [String(detail.lines[0].drop { $0 == " " }), row.movement]
        canvas.line(
            row.deletion + row.mark + row.element.text,
            trailing: trailing.filter { !$0.isEmpty }.joined(separator: " "))
        return [0..<canvas.width]
    }
}
