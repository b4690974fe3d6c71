internal import FoundationEssentials

extension ListView {
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

    /// An element, with its name if it has one.
    func remember(_ indexPath: IndexPath) -> RememberedElement {
        RememberedElement(
            indexPath: indexPath,
            modelIdentifier: association?.modelIdentifierForElement(at: indexPath, in: self))
    }

    /// Where a saved element is now; nil if it is not there, or has no place that can be.
    func place(of reference: SavedElements.Reference) -> IndexPath? {
        let place =
            switch reference {
            case .model(let identifier):
                association?.indexPathForElement(withModelIdentifier: identifier, in: self)
            case .place(let indexPath): indexPath
            }
        return place.flatMap { layout.contains($0) ? $0 : nil }
    }

    /// What is selected and what is seen first, as it is saved.
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
}
