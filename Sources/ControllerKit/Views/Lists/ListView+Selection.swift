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
            modelIdentifier: association?.modelIdentifierForElement(at: indexPath, in: self))
    }

    /// The elements at places, each once, without those that are not there.
    func remembered(_ places: some Sequence<IndexPath>) -> [RememberedElement] {
        Set(places).filter(layout.contains).map(remember)
    }
}
