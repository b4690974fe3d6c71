import ExactText
public import FoundationEssentials

extension ListView {
    /// The index paths of the selected elements, in ascending order.
    public var indexPathsForSelectedElements: [IndexPath] {
        let layout = currentLayout()
        return selection.map(\.indexPath).filter(layout.contains)
    }

    /// Whether any element is selected.
    ///
    /// This property stops at the first selected element, so it is cheaper than ``indexPathsForSelectedElements``.
    public var hasSelection: Bool {
        let layout = currentLayout()
        return selection.contains { layout.contains($0.indexPath) }
    }

    /// Selects an element without notifying the delegate of a user action.
    ///
    /// If the list allows multiple selection, the other selected elements stay selected. If the element does not exist,
    /// nothing changes.
    public func selectElement(at indexPath: IndexPath) {
        reloadIfNeeded()
        guard layout.contains(indexPath) else { return }
        let otherElements = allowsMultipleSelection ? selection : []
        setSelectionEndingSearch(
            otherElements.filter { $0.indexPath != indexPath } + [makeReference(indexPath)])
    }

    /// Deselects an element without notifying the delegate of a user action.
    public func deselectElement(at indexPath: IndexPath) {
        setSelectionEndingSearch(selection.filter { $0.indexPath != indexPath })
    }

    /// Replaces the selection and stops searching for restored elements.
    func setSelectionEndingSearch(_ elements: [ElementReference]) {
        restoredState = nil
        replaceSelection(elements)
    }

    /// Replaces the selection without stopping the search for restored elements.
    func replaceSelection(_ elements: some Sequence<ElementReference>) {
        let sortedElements = elements.sorted { $0.indexPath < $1.indexPath }
        guard sortedElements != selection else { return }
        selection = sortedElements
        restorableStateDidChange()
        delegate?.listViewDidChangeSelection(self)
    }

    /// Returns a reference to the element at an index path, with the element's model identifier if it has one.
    func makeReference(_ indexPath: IndexPath) -> ElementReference {
        ElementReference(
            indexPath: indexPath,
            modelIdentifier: modelAssociation?.modelIdentifierForElement(at: indexPath, in: self)
                .map { ExactString($0) })
    }

    /// Returns references to the existing elements at the given index paths, without duplicates.
    func makeReferences(_ indexPaths: some Sequence<IndexPath>) -> [ElementReference] {
        Set(indexPaths).filter(layout.contains).map(makeReference)
    }

    /// Returns the current index path of a saved element, or `nil` if the element does not exist.
    func currentIndexPath(of reference: SavedListState.Reference) -> IndexPath? {
        let foundIndexPath =
            switch reference {
            case .modelIdentifier(let identifier):
                modelAssociation?.indexPathForElement(
                    withModelIdentifier: identifier.text, in: self)
            case .indexPath(let indexPath): indexPath
            }
        return foundIndexPath.flatMap { layout.contains($0) ? $0 : nil }
    }

    /// The selection and the first visible element in their saved form.
    var savedListState: SavedListState {
        let layout = currentLayout()
        let selectedReferences = selection.filter { layout.contains($0.indexPath) }
        let firstVisibleReference = indexPathForFirstVisibleElement.map(makeReference)
        guard modelAssociation != nil else {
            return SavedListState(
                selectedReferences: selectedReferences.map { .indexPath($0.indexPath) },
                firstVisibleReference: firstVisibleReference.map { .indexPath($0.indexPath) },
                usesIndexPaths: true)
        }
        return SavedListState(
            selectedReferences: selectedReferences.compactMap(\.modelIdentifier).map {
                .modelIdentifier($0)
            },
            firstVisibleReference: firstVisibleReference.flatMap(\.modelIdentifier).map {
                .modelIdentifier($0)
            }, usesIndexPaths: false)
    }

    /// Selects the restored elements that exist, and scrolls to the restored position.
    func apply(_ savedState: SavedListState) {
        layout = currentLayout()
        isAdjustingOffset = true
        updateContentSize()
        if let scrollOffset = savedState.scrollOffset {
            let line = savedState.firstVisibleReference.flatMap(currentIndexPath).flatMap(
                layout.number
            ).map {
                $0 / elementsPerLine
            }
            let fraction =
                scrollOffset > 0
                ? scrollOffset - scrollOffset.rounded(.down) : line == 0 ? scrollOffset : 0
            contentOffset.y = line.map { Double($0) + fraction } ?? scrollOffset
        }
        isAdjustingOffset = false
        updateFirstVisibleElement()
        // Replacing the selection calls the delegate, so the list must have its new layout by now.
        if let selectedReferences = savedState.selectedReferences {
            let foundIndexPaths = Set(selectedReferences).compactMap(currentIndexPath).sorted()
            let maximumCount =
                allowsMultipleSelection ? foundIndexPaths.count : min(1, foundIndexPaths.count)
            replaceSelection(makeReferences(foundIndexPaths.prefix(maximumCount)))
        }
    }
}
