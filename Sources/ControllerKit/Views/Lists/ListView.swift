public import FoundationEssentials
public import StateRestoration

/// Shows elements of a model in their order, of which a person selects some: the common part of
/// ``TableView`` and ``CollectionView``.
///
/// Preserves which elements are selected, which is the first that is seen and whether it is edited
/// (V2): by the elements' names in the model if the data source is a
/// ``DataSourceModelAssociation``, else by their places (V3).
///
/// A change of the model is told with ``reloadData()``, or with ``insertElements(at:)``,
/// ``deleteElements(at:)`` and ``moveElement(at:to:)``; each keeps what is selected and what is
/// seen. A data source that changes without a word is asked again before anything is done.
open class ListView: ScrollView {
    /// Tells what is shown; kept weakly. Without one the list is empty.
    public weak var dataSource: (any ListViewDataSource)? {
        didSet {
            reloadData()
            let hadNames = oldValue is any DataSourceModelAssociation
            if hadNames != (association != nil) { restorableStateDidChange() }
        }
    }

    /// Is told what a person does; kept weakly.
    public weak var delegate: (any ListViewDelegate)?

    /// Whether several elements can be selected at once. Turning it off keeps the first one.
    public var allowsMultipleSelection = false {
        didSet { if !allowsMultipleSelection { replaceSelection(selection.prefix(1)) } }
    }

    /// Whether a person moves and deletes elements, and a tap selects instead of opening.
    public var isEditing = false {
        didSet { if isEditing != oldValue { restorableStateDidChange() } }
    }

    /// The elements that were there when the list looked last.
    var layout = ListLayout()
    /// The selected elements, in their order.
    var selection: [RememberedElement] = []
    /// The first element that is seen.
    var top: RememberedElement?
    /// The restored elements that are still looked for; as long as they are, they are saved again.
    var restored: SavedElements? {
        didSet { if restored == nil, oldValue != nil { restorableStateDidChange() } }
    }
    /// Whether everything else is restored, and the list is not loaded yet.
    var awaitsElements = false
    /// Whether the offset is being set to what is already known.
    var isPlacing = false
    /// The data source's answer while it is asked to change the model; nil at other times.
    var answer: DataSourceAnswer?

    /// How many elements stand side by side on a line.
    var elementsPerLine: Int { 1 }

    // MARK: What is seen

    /// More or less is seen.
    open override func visibleSizeDidChange() {
        super.visibleSizeDidChange()
        updateContentSize()
    }

    /// The visible part begins elsewhere.
    open override func contentOffsetDidChange() {
        super.contentOffsetDidChange()
        guard !isPlacing else { return }
        restored = nil
        rememberTop()
    }

    // MARK: Appearance

    /// The elements that are seen, a line for each, and which they are if there are more.
    open override func draw(on canvas: inout TextCanvas) {
        drawElements(on: &canvas)
        for view in subviews where !view.isHidden { canvas.draw(view) }
    }

    /// Draws the elements of one line.
    func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas) -> [Range<Int>] { [] }

    /// How many elements there are, the numbers of those that are selected and of the first that is
    /// seen, the modes, and of each that is seen its number, text and name in the model.
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

    // MARK: What a person does

    /// A person scrolls.
    open override func scroll(to point: Point) throws(OperationError) {
        catchUp()
        try super.scroll(to: point)
    }

    /// A list cannot be enlarged.
    open override func zoom(to scale: Double) throws(OperationError) {
        throw .notPossible("a list cannot be zoomed")
    }

    // MARK: Preservation

    /// Stores the selection, the first element that is seen and the edit mode (V2, V3).
    open override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        coder.encode(isEditing, forKey: "isEditing")
        (restored ?? savedElements).encode(with: coder)
    }

    /// Takes the edit mode back, and of what was selected and seen what is there. What is not is
    /// looked for again when every object has its state.
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

    /// Everything is there again. A list that has no elements yet goes on looking for what was
    /// selected and seen until it is loaded.
    open override func applicationFinishedRestoringState() {
        isPlacing = true
        super.applicationFinishedRestoringState()
        isPlacing = false
        guard let restored else { return rememberTop() }
        apply(restored)
        awaitsElements = layout.count == 0 && !restored.isPositional
        if !awaitsElements { self.restored = nil }
    }

    /// How many elements there are in all sections.
    public var numberOfElements: Int { currentLayout().count }

    /// Where the element of a number is, counted from 0 through all sections; nil if there is none.
    public func indexPath(ofElement number: Int) -> IndexPath? {
        currentLayout().indexPath(of: number)
    }

    /// The number of an element, counted from 0 through all sections; nil if there is none.
    public func number(ofElementAt indexPath: IndexPath) -> Int? {
        currentLayout().number(of: indexPath)
    }

    /// The first element that is seen; nil in an empty list.
    public var indexPathForFirstVisibleElement: IndexPath? {
        let layout = currentLayout()
        return layout.indexPath(of: firstVisibleLine(layout) * elementsPerLine)
    }

    /// Scrolls until an element is the first that is seen, or as far as it goes.
    public func scrollToElement(at indexPath: IndexPath) {
        catchUp()
        guard let number = layout.number(of: indexPath) else { return }
        contentOffset.y = Double(number / elementsPerLine)
    }

    /// The data source, if its elements have names.
    var association: (any DataSourceModelAssociation)? {
        dataSource as? any DataSourceModelAssociation
    }

    /// The elements that the data source has now.
    func currentLayout() -> ListLayout {
        guard let dataSource else { return ListLayout() }
        let sections = min(dataSource.numberOfSections(in: self), ListLayout.mostSections)
        return ListLayout(
            counts: (0..<max(0, sections)).lazy.map {
                dataSource.listView(self, numberOfElementsInSection: $0)
            })
    }

    /// How many lines the elements take.
    func lineCount(_ layout: ListLayout) -> Int {
        (layout.count + elementsPerLine - 1) / elementsPerLine
    }

    /// The first line that is seen, of a layout that the list may not have looked at yet.
    func firstVisibleLine(_ layout: ListLayout) -> Int {
        Int(whole: contentOffset.y).clamped(0, max(0, lineCount(layout) - 1))
    }
}

/// A list of rows, one a line. Preserves its selection, its first visible row and its edit mode
/// (V2).
open class TableView: ListView {
    /// A mark if it is selected, the text, and the detail at the right edge.
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
