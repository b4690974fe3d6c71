import ExactText
public import FoundationEssentials

extension ListView {
    /// Reloads all elements after the model has changed.
    ///
    /// Selected elements stay selected. An element with a model identifier is found at its new index path. An element
    /// without a model identifier is identified by its index path.
    public func reloadData() {
        guard notifications == nil else {
            notifications?.wasReloadRequested = true
            return
        }
        if let restoredState {
            apply(restoredState)
            if awaitsElements, layout.count > 0 { self.restoredState = nil }
            return
        }
        let modelAssociation = modelAssociation
        let layout = currentLayout()
        func updatedReference(_ element: ElementReference) -> ElementReference? {
            guard layout.contains(element.indexPath) else { return referenceByIdentifier(element) }
            let currentReference = makeReference(element.indexPath)
            guard modelAssociation != nil, let identifier = element.modelIdentifier,
                currentReference.modelIdentifier != identifier
            else { return currentReference }
            return referenceByIdentifier(element)
        }
        func referenceByIdentifier(_ element: ElementReference) -> ElementReference? {
            guard let modelAssociation, let identifier = element.modelIdentifier else { return nil }
            let indexPath = modelAssociation.indexPathForElement(
                withModelIdentifier: identifier.text, in: self)
            return indexPath.map { ElementReference(indexPath: $0, modelIdentifier: identifier) }
        }
        applyLayout(layout, updateReference: updatedReference) { updatedReference($0)?.indexPath }
    }

    /// Updates the list after elements have been added to the model.
    ///
    /// - Parameter indexPaths: The index paths of the elements after the change.
    public func insertElements(at indexPaths: [IndexPath]) {
        apply(.insertion(indexPaths))
    }

    /// Updates the list after elements have been removed from the model.
    ///
    /// Removed elements are deselected.
    ///
    /// - Parameter indexPaths: The index paths of the elements before the change.
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
        let newLayout = currentLayout()
        guard restoredState == nil, change.layoutWhenApplied(to: layout) == newLayout else {
            return reloadData()
        }
        notifications?.wasNotified = true
        applyLayout(
            newLayout, updateReference: { $0.moved(to: change.indexPath(of: $0.indexPath)) }
        ) {
            change.indexPath(nearestTo: $0.indexPath)
        }
    }

    /// Reloads the list if the number of elements has changed without a notification from the data source.
    func reloadIfNeeded() {
        if currentLayout() != layout { reloadData() }
    }

    /// Applies a new layout, in which elements may have new index paths.
    ///
    /// If the list is scrolled to the top, it stays there. Otherwise, the same element remains the first visible
    /// element.
    ///
    /// - Parameters:
    ///   - updateReference: A closure that returns a reference to a selected element at its new index path, or `nil` if
    ///     the element has been removed.
    ///   - indexPathOfFirstVisibleElement: A closure that returns the new index path of the first visible element.
    private func applyLayout(
        _ layout: ListLayout, updateReference: (ElementReference) -> ElementReference?,
        indexPathOfFirstVisibleElement: (ElementReference) -> IndexPath?
    ) {
        let offset = contentOffset.y
        let firstVisibleNumber =
            offset > 0
            ? firstVisibleElement.flatMap(indexPathOfFirstVisibleElement).flatMap(layout.number)
            : nil
        self.layout = layout
        isAdjustingOffset = true
        updateContentSize()
        if let firstVisibleNumber {
            contentOffset.y =
                Double(firstVisibleNumber / elementsPerLine) + offset - offset.rounded(.down)
        }
        isAdjustingOffset = false
        updateFirstVisibleElement()
        // Replacing the selection calls the delegate, so the list must have its new layout by now.
        var indexPaths: Set<IndexPath> = []
        replaceSelection(
            selection.compactMap(updateReference).filter {
                layout.contains($0.indexPath) && indexPaths.insert($0.indexPath).inserted
            })
    }

    /// Updates the list after the number of elements per line has changed.
    func elementsPerLineDidChange(from previousElementsPerLine: Int) {
        let firstElementNumber =
            Int(flooring: contentOffset.y).clamped(0, ListLayout.maximumElementCount)
            * previousElementsPerLine
        isAdjustingOffset = true
        updateContentSize()
        if contentOffset.y > 0 { contentOffset.y = Double(firstElementNumber / elementsPerLine) }
        isAdjustingOffset = false
        updateFirstVisibleElement()
    }

    /// Updates the content size to the number of lines that the elements occupy.
    func updateContentSize() {
        contentSize = Size(width: visibleSize.width, height: Double(lineCount(layout)))
    }

    /// Updates the first visible element to match the content offset.
    func updateFirstVisibleElement() {
        let previousElement = firstVisibleElement
        firstVisibleElement = indexPathForFirstVisibleElement.map(makeReference)
        if firstVisibleElement != previousElement { restorableStateDidChange() }
    }
}
