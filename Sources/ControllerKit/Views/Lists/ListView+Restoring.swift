internal import FoundationEssentials

extension ListView {
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
