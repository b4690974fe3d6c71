import ExactText
public import FoundationEssentials

extension ListView {
    /// Reloads all elements after the model has changed.
    ///
    /// Selected elements stay selected. An element with a model identifier is found at its new index path. An element
    /// without a model identifier is identified by its index path.
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
        func found(_ element: RememberedElement) -> RememberedElement? {
            guard layout.contains(element.indexPath) else { return lookedFor(element) }
            let there = remember(element.indexPath)
            guard association != nil, let identifier = element.modelIdentifier,
                there.modelIdentifier != identifier
            else { return there }
            return lookedFor(element)
        }
        func lookedFor(_ element: RememberedElement) -> RememberedElement? {
            guard let association, let identifier = element.modelIdentifier else { return nil }
            let place = association.indexPathForElement(
                withModelIdentifier: identifier.text, in: self)
            return place.map { RememberedElement(indexPath: $0, modelIdentifier: identifier) }
        }
        arrange(layout, elements: found) { found($0)?.indexPath }
    }

    /// Updates the list after elements have been added to the model.
    ///
    /// - Parameter indexPaths: The index paths of the elements, after the change.
    public func insertElements(at indexPaths: [IndexPath]) {
        apply(.insertion(indexPaths))
    }

    /// Updates the list after elements have been removed from the model.
    ///
    /// Removed elements are deselected.
    ///
    /// - Parameter indexPaths: The index paths of the elements, before the change.
    public func deleteElements(at indexPaths: [IndexPath]) {
        apply(.deletion(indexPaths))
    }

    /// Updates the list after an element has been moved in the model.
    ///
    /// - Parameters:
    ///   - indexPath: The index path before the move.
    ///   - destination: The index path after the move.
    public func moveElement(at indexPath: IndexPath, to destination: IndexPath) {
        apply(.move(from: indexPath, to: destination))
    }

    /// Applies a change.
    ///
    /// If the change does not match the data source, the list reloads all elements instead.
    func apply(_ change: ListChange) {
        let now = currentLayout()
        guard restored == nil, change.applied(to: layout) == now else { return reloadData() }
        answer?.wasNotified = true
        arrange(now, elements: { $0.moved(to: change.place(of: $0.indexPath)) }) {
            change.place(ofWhatIsAt: $0.indexPath)
        }
    }

    /// Reloads the list if the data source has changed without notifying the list.
    func catchUp() {
        if currentLayout() != layout { reloadData() }
    }

    /// Applies a new layout, in which elements can have other index paths.
    ///
    /// If the list is scrolled to the top, it stays there. Otherwise the first visible element stays the first
    /// visible element.
    ///
    /// - Parameters:
    ///   - elements: A closure that returns a selected element with its new index path, or `nil` if it was removed.
    ///   - placeOfTop: A closure that returns the new index path of the element that was the first visible element.
    private func arrange(
        _ layout: ListLayout, elements: (RememberedElement) -> RememberedElement?,
        placeOfTop: (RememberedElement) -> IndexPath?
    ) {
        let offset = contentOffset.y
        let top = offset > 0 ? top.flatMap(placeOfTop).flatMap(layout.number) : nil
        self.layout = layout
        isPlacing = true
        updateContentSize()
        if let top {
            contentOffset.y = Double(top / elementsPerLine) + offset - offset.rounded(.down)
        }
        isPlacing = false
        rememberTop()
        // Replacing the selection calls the delegate, so the list must have its new layout by now.
        var places: Set<IndexPath> = []
        replaceSelection(
            selection.compactMap(elements).filter {
                layout.contains($0.indexPath) && places.insert($0.indexPath).inserted
            })
    }

    /// Updates the list after the number of elements in each line has changed.
    func elementsPerLineDidChange(from elementsBefore: Int) {
        let first =
            Int(whole: contentOffset.y).clamped(0, ListLayout.maximumElements) * elementsBefore
        isPlacing = true
        updateContentSize()
        if contentOffset.y > 0 { contentOffset.y = Double(first / elementsPerLine) }
        isPlacing = false
        rememberTop()
    }

    /// Updates the content size to the number of lines that the elements occupy.
    func updateContentSize() {
        contentSize = Size(width: visibleSize.width, height: Double(lineCount(layout)))
    }

    /// Records which element is the first visible element.
    func rememberTop() {
        let before = top
        top = indexPathForFirstVisibleElement.map(remember)
        if top != before { restorableStateDidChange() }
    }
}

/// The notifications that a list has received from its data source during a change to the model.
struct DataSourceAnswer {
    /// Whether the data source notified the list of inserted, deleted or moved elements.
    var wasNotified = false
    /// Whether the data source asked the list to reload all elements.
    var wasReloaded = false
}
