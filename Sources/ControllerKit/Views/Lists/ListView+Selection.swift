import ExactText
public import FoundationEssentials

extension ListView {
    /// The selected elements, in their order.
    public var indexPathsForSelectedElements: [IndexPath] {
        let layout = currentLayout()
        return selection.map(\.indexPath).filter(layout.contains)
    }

    /// Whether an element is selected; found out without looking at all of them.
    public var hasSelection: Bool {
        let layout = currentLayout()
        return selection.contains { layout.contains($0.indexPath) }
    }

    /// Selects an element, also one that others are selected with if several can be. Does nothing
    /// if there is no such element. The delegate is not told.
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

    /// Selects other elements, which are what is looked for.
    func replaceSelection(_ elements: some Sequence<RememberedElement>) {
        let sorted = elements.sorted { $0.indexPath < $1.indexPath }
        guard sorted != selection else { return }
        selection = sorted
        restorableStateDidChange()
        delegate?.listViewDidChangeSelection(self)
    }

    /// An element, with its name if it has one.
    func remember(_ indexPath: IndexPath) -> RememberedElement {
        RememberedElement(
            indexPath: indexPath,
            modelIdentifier: association?.modelIdentifierForElement(at: indexPath, in: self)
                .map { ExactString($0) })
    }

    /// The elements at places, each once, without those that are not there.
    func remembered(_ places: some Sequence<IndexPath>) -> [RememberedElement] {
        Set(places).filter(layout.contains).map(remember)
    }

    /// Where a saved element is now; nil if it is not there, or has no place that can be.
    func place(of reference: SavedElements.Reference) -> IndexPath? {
        let place =
            switch reference {
            case .model(let identifier):
                association?.indexPathForElement(withModelIdentifier: identifier.text, in: self)
            case .place(let indexPath): indexPath
            }
        return place.flatMap { layout.contains($0) ? $0 : nil }
    }

    /// The selection and the element that is seen first, as they are saved.
    var savedElements: SavedElements {
        let layout = currentLayout()
        let selected = selection.filter { layout.contains($0.indexPath) }
        let first = indexPathForFirstVisibleElement.map(remember)
        guard association != nil else {
            return SavedElements(
                selected: selected.map { .place($0.indexPath) },
                first: first.map { .place($0.indexPath) }, isPositional: true)
        }
        return SavedElements(
            selected: selected.compactMap(\.modelIdentifier).map { .model($0) },
            first: first.flatMap(\.modelIdentifier).map { .model($0) }, isPositional: false)
    }

    /// Selects what was restored and scrolls to it, as far as it is there.
    func apply(_ saved: SavedElements) {
        layout = currentLayout()
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
        // Last, because the delegate is told: it finds the list arranged.
        if let selected = saved.selected {
            let found = Set(selected).compactMap(place).sorted()
            let most = allowsMultipleSelection ? found.count : min(1, found.count)
            replaceSelection(remembered(found.prefix(most)))
        }
    }
}

/// An element of a list that is found again when the model changes.
struct RememberedElement: Hashable {
    /// Where it is.
    var indexPath: IndexPath
    /// Its name in the model, if it has one.
    var modelIdentifier: ExactString?

    /// The element at another place; nil if that is nil.
    func moved(to indexPath: IndexPath?) -> RememberedElement? {
        indexPath.map { RememberedElement(indexPath: $0, modelIdentifier: modelIdentifier) }
    }
}
