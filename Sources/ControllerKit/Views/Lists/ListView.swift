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
/// ``deleteElements(at:)`` and ``moveElement(at:to:)``; each keeps what is selected and what is seen.
/// A data source that changes without a word is asked again before anything is done.
open class ListView: ScrollView {
    /// Tells what is shown; kept weakly. Without one the list is empty.
    public weak var dataSource: (any ListViewDataSource)? {
        didSet { reloadData() }
    }

    /// Is told what a person does; kept weakly.
    public weak var delegate: (any ListViewDelegate)?

    /// Whether several elements can be selected at once. Turning it off keeps the first one.
    public var allowsMultipleSelection = false {
        didSet { if !allowsMultipleSelection { setSelection(Array(selection.prefix(1))) } }
    }

    /// Whether a person moves and deletes elements, and a tap selects instead of opening. Changing it
    /// keeps what is selected.
    public var isEditing = false {
        didSet { if isEditing != oldValue { restorableStateDidChange() } }
    }

    /// The elements that were there when the list looked last.
    private(set) var layout = ListLayout()
    /// What is selected, in its order.
    private(set) var selection: [RememberedElement] = []
    /// The first element that is seen.
    private(set) var top: RememberedElement?
    /// What was restored and is still looked for.
    private var restored: SavedElements?
    /// Whether everything else is restored, and the list is not loaded yet.
    private var awaitsElements = false
    /// Whether the offset is being set to what is already known.
    private var isPlacing = false
    /// What the data source told while it was asked to change the model; nil: it is not asked.
    var answer: DataSourceAnswer?

    /// How many elements stand side by side on a line.
    var elementsPerLine: Int { 1 }

    // MARK: Elements

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

    /// Scrolls until an element is the first that is seen, or as far as it goes. Does nothing if
    /// there is no such element.
    public func scrollToElement(at indexPath: IndexPath) {
        catchUp()
        guard let number = layout.number(of: indexPath) else { return }
        contentOffset.y = Double(number / elementsPerLine)
    }

    // MARK: Selection

    /// The selected elements, in their order.
    public var indexPathsForSelectedElements: [IndexPath] {
        let layout = currentLayout()
        return selection.map(\.indexPath).filter(layout.contains)
    }

    /// Selects an element, also one that others are selected with if several can be. Does nothing if
    /// there is no such element. The delegate is not told.
    public func selectElement(at indexPath: IndexPath) {
        catchUp()
        guard layout.contains(indexPath) else { return }
        let others = allowsMultipleSelection ? selection : []
        setSelection(others.filter { $0.indexPath != indexPath } + [remember(indexPath)])
    }

    /// Selects an element no longer. The delegate is not told.
    public func deselectElement(at indexPath: IndexPath) {
        setSelection(selection.filter { $0.indexPath != indexPath })
    }

    /// Selects other elements instead of those that were.
    func setSelection(_ elements: [RememberedElement]) {
        restored = nil
        replaceSelection(elements)
    }

    private func replaceSelection(_ elements: [RememberedElement]) {
        let sorted = elements.sorted { $0.indexPath < $1.indexPath }
        guard sorted != selection else { return }
        selection = sorted
        restorableStateDidChange()
    }

    // MARK: Changes

    /// The model changed: the list looks at it again. Elements that have names in the model stay
    /// selected wherever they are now, others at their places.
    public func reloadData() {
        guard answer == nil else {
            answer?.wasReloaded = true
            return
        }
        if let restored {
            apply(restored)
            if awaitsElements, layout.count > 0 { self.restored = nil }
            return
        }
        let association = association
        let layout = currentLayout()
        func place(of element: RememberedElement) -> IndexPath? {
            guard let association, let identifier = element.modelIdentifier else {
                return element.indexPath
            }
            return association.indexPathForElement(withModelIdentifier: identifier, in: self)
        }
        arrange(layout, places: place, placeOfTop: place)
    }

    /// Elements were added to the model.
    ///
    /// - Parameter indexPaths: where they are now.
    public func insertElements(at indexPaths: [IndexPath]) {
        apply(.insertion(indexPaths))
    }

    /// Elements were taken out of the model. Those of them that were selected are no longer.
    ///
    /// - Parameter indexPaths: where they were.
    public func deleteElements(at indexPaths: [IndexPath]) {
        apply(.deletion(indexPaths))
    }

    /// An element was moved in the model.
    ///
    /// - Parameters:
    ///   - indexPath: where it was.
    ///   - destination: where it is now.
    public func moveElement(at indexPath: IndexPath, to destination: IndexPath) {
        apply(.move(from: indexPath, to: destination))
    }

    /// Takes a change over. One that does not fit what the data source says is taken as a reload.
    func apply(_ change: ListChange) {
        let now = currentLayout()
        guard restored == nil, change.applied(to: layout) == now else { return reloadData() }
        answer?.wasTold = true
        arrange(now, places: { change.place(of: $0.indexPath) }) {
            change.place(ofWhatIsAt: $0.indexPath)
        }
    }

    /// The data source may have changed without a word.
    func catchUp() {
        if currentLayout() != layout { reloadData() }
    }

    /// Shows elements that were there before at other places.
    ///
    /// A list that stands at its top stays there; else what was the first to be seen stays the first.
    private func arrange(
        _ layout: ListLayout, places: (RememberedElement) -> IndexPath?,
        placeOfTop: (RememberedElement) -> IndexPath?
    ) {
        let offset = contentOffset.y
        let top = offset > 0 ? top.flatMap(placeOfTop).flatMap(layout.number) : nil
        self.layout = layout
        replaceSelection(remembered(selection.compactMap(places)))
        isPlacing = true
        updateContentSize()
        if let top {
            contentOffset.y = Double(top / elementsPerLine) + offset - offset.rounded(.down)
        }
        isPlacing = false
        rememberTop()
    }

    /// The elements at places, each once, without those that are not there.
    private func remembered(_ places: some Sequence<IndexPath>) -> [RememberedElement] {
        Set(places).filter(layout.contains).map(remember)
    }

    /// The elements stand on other lines than before.
    func elementsPerLineDidChange(from elementsBefore: Int) {
        let first = Int(whole: contentOffset.y).clamped(0, ListLayout.mostElements) * elementsBefore
        isPlacing = true
        updateContentSize()
        if contentOffset.y > 0 { contentOffset.y = Double(first / elementsPerLine) }
        isPlacing = false
        rememberTop()
    }

    /// The content is as large as the elements take lines.
    private func updateContentSize() {
        contentSize = Size(width: 0, height: Double(lineCount(layout)))
    }

    /// What is seen begins elsewhere.
    open override func contentOffsetDidChange() {
        super.contentOffsetDidChange()
        guard !isPlacing else { return }
        restored = nil
        rememberTop()
    }

    private func rememberTop() {
        let before = top
        top = indexPathForFirstVisibleElement.map(remember)
        if top != before { restorableStateDidChange() }
    }

    // MARK: Appearance

    /// The elements that are seen, a line for each, and which they are if there are more.
    open override func draw(on canvas: inout TextCanvas) {
        drawElements(on: &canvas)
        for view in subviews where !view.isHidden { view.draw(on: &canvas) }
    }

    /// Draws the elements of one line.
    func drawLine(_ elements: [DrawnElement], on canvas: inout TextCanvas) {}

    /// How many elements there are, the numbers of those that are selected and of the first that is
    /// seen, and the modes.
    open override var inspectedProperties: [String: Value] {
        var properties = super.inspectedProperties
        let layout = currentLayout()
        properties["numberOfElements"] = .integer(Int64(layout.count))
        properties["selectedElements"] = .array(
            indexPathsForSelectedElements.compactMap(layout.number).map { .integer(Int64($0)) })
        properties["firstVisibleElement"] =
            indexPathForFirstVisibleElement
            .flatMap(layout.number).map { .integer(Int64($0)) }
        properties["isEditing"] = .bool(isEditing)
        properties["allowsMultipleSelection"] = .bool(allowsMultipleSelection)
        return properties
    }

    /// Sets `allowsMultipleSelection` or `isEditing`.
    open override func setProperty(
        _ name: String, to value: PropertyValue
    ) throws(PropertyError) {
        switch name {
        case "allowsMultipleSelection": allowsMultipleSelection = try value.bool()
        case "isEditing": isEditing = try value.bool()
        default:
            try inherited(["allowsMultipleSelection", "isEditing"]) { () throws(PropertyError) in
                try super.setProperty(name, to: value)
            }
        }
    }

    // MARK: What a person does

    /// A person scrolls.
    open override func scroll(to point: Point) throws(OperationError) {
        catchUp()
        try super.scroll(to: point)
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

    /// Selects what was restored and scrolls to it, as far as it is there.
    private func apply(_ saved: SavedElements) {
        layout = currentLayout()
        if let selected = saved.selected {
            let found = Set(selected).compactMap(place).sorted()
            let most = allowsMultipleSelection ? found.count : min(1, found.count)
            replaceSelection(remembered(found.prefix(most)))
        }
        isPlacing = true
        updateContentSize()
        if let offset = saved.offset {
            let line = saved.first.flatMap(place).flatMap(layout.number).map {
                $0 / elementsPerLine
            }
            let fraction = offset > 0 ? offset - offset.rounded(.down) : line == 0 ? offset : 0
            contentOffset.y = line.map { Double($0) + fraction } ?? offset
        }
        isPlacing = false
        rememberTop()
    }
}
