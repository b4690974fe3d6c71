internal import FoundationEssentials

extension ListView: ListInteracting, Editable {
    /// Selects elements on behalf of the user. The elements are identified by zero-based numbers that count across all
    /// sections.
    ///
    /// The new selection replaces the previous selection. This method does not open any element.
    public func select(_ indexes: [Int]) throws(OperationError) {
        reloadIfNeeded()
        try select(indexes.map(indexPath(ofExistingElement:)))
    }

    /// Selects the elements with the given model identifiers on behalf of the user.
    ///
    /// The new selection replaces the previous selection.
    public func select(modelIdentifiers: [String]) throws(OperationError) {
        reloadIfNeeded()
        guard let modelAssociation else {
            throw .notPossible("its elements have no identifiers: choose them by index")
        }
        var indexPaths: [IndexPath] = []
        for identifier in modelIdentifiers {
            let indexPath = modelAssociation.indexPathForElement(
                withModelIdentifier: identifier, in: self)
            guard let indexPath, layout.contains(indexPath) else {
                throw .noSuchModelIdentifier(identifier)
            }
            indexPaths.append(indexPath)
        }
        try select(indexPaths)
    }

    private func select(_ indexPaths: [IndexPath]) throws(OperationError) {
        let newSelection = Set(indexPaths)
        guard allowsMultipleSelection || newSelection.count <= 1 else {
            throw .tooManyElements(given: newSelection.count, maximum: 1)
        }
        let previousSelection = Set(selection.map(\.indexPath))
        setSelectionEndingSearch(newSelection.map(makeReference))
        notifyDelegate(
            deselectedIndexPaths: previousSelection.subtracting(newSelection),
            selectedIndexPaths: newSelection.subtracting(previousSelection)
        )
    }

    /// Taps an element on behalf of the user.
    ///
    /// Outside edit mode, the tap selects only this element, and the delegate performs the element's primary action. In
    /// edit mode, the tap selects or deselects the element without opening it. The other elements stay selected only if
    /// the list allows multiple selection.
    public func tapElement(at index: Int) throws(OperationError) {
        reloadIfNeeded()
        let indexPath = try indexPath(ofExistingElement: index)
        let previousSelection = Set(selection.map(\.indexPath))
        var newSelection: Set = [indexPath]
        if isEditing {
            if allowsMultipleSelection {
                newSelection = previousSelection.symmetricDifference(newSelection)
            } else if previousSelection.contains(indexPath) {
                newSelection = []
            }
        }
        // The model identifiers of the other elements are already known.
        let otherElements = selection.filter {
            $0.indexPath != indexPath && newSelection.contains($0.indexPath)
        }
        setSelectionEndingSearch(
            otherElements + newSelection.intersection([indexPath]).map(makeReference))
        // As in UIKit, the delegate is notified of the tapped element even if it was selected before.
        notifyDelegate(
            deselectedIndexPaths: previousSelection.subtracting(newSelection),
            selectedIndexPaths: newSelection.subtracting(previousSelection.subtracting([indexPath]))
        )
        if !isEditing { delegate?.listView(self, performPrimaryActionForElementAt: indexPath) }
    }

    private func notifyDelegate(
        deselectedIndexPaths: Set<IndexPath>, selectedIndexPaths: Set<IndexPath>
    ) {
        for indexPath in deselectedIndexPaths.sorted() {
            delegate?.listView(self, didDeselectElementAt: indexPath)
        }
        for indexPath in selectedIndexPaths.sorted() {
            delegate?.listView(self, didSelectElementAt: indexPath)
        }
    }

    /// Moves an element on behalf of the user.
    ///
    /// The list does not have to be in edit mode.
    public func moveElement(from index: Int, to destination: Int) throws(OperationError) {
        reloadIfNeeded()
        let origin = try indexPath(ofExistingElement: index)
        var indexPath = try indexPath(ofExistingElement: destination)
        guard let dataSource, dataSource.listView(self, canMoveElementAt: origin) else {
            throw .notPossible("the element \(index) cannot be moved")
        }
        guard indexPath != origin else { return }
        // Removing the element shifts the numbers of all later elements down by one, so a destination in a later
        // section is one row further down.
        if origin.section < indexPath.section {
            indexPath = IndexPath(row: indexPath.row + 1, section: indexPath.section)
        }
        let movedIdentifier = makeReference(origin).modelIdentifier
        func isMovedElementAt(_ indexPath: IndexPath) -> Bool {
            movedIdentifier == nil
                || currentLayout().contains(indexPath)
                    && makeReference(indexPath).modelIdentifier == movedIdentifier
        }
        let isElementMoved = change(.move(from: origin, to: indexPath)) {
            dataSource.listView(self, moveElementAt: origin, to: indexPath)
            return isMovedElementAt(indexPath)
        }
        if !isElementMoved, isMovedElementAt(origin) {
            throw .notPossible("its data source did not move the element \(index)")
        }
    }

    /// Deletes an element on behalf of the user.
    ///
    /// The list does not have to be in edit mode.
    public func deleteElement(at index: Int) throws(OperationError) {
        reloadIfNeeded()
        let indexPath = try indexPath(ofExistingElement: index)
        guard let dataSource, dataSource.listView(self, canEditElementAt: indexPath) else {
            throw .notPossible("the element \(index) cannot be deleted")
        }
        let previousLayout = layout
        let undo = dataSource.listView(self, undoForDeletingElementAt: indexPath)
        let isElementDeleted = change(.deletion([indexPath])) {
            dataSource.listView(self, deleteElementAt: indexPath)
            return currentLayout() != previousLayout
        }
        guard isElementDeleted else {
            throw .notPossible("its data source did not delete the element \(index)")
        }
        guard let undo else { return }
        deletionUndos = deletionUndos.suffix(Self.maximumDeletionUndos - 1) + [undo]
    }

    /// Whether the user can undo a deletion.
    package var canUndoDeletion: Bool { !deletionUndos.isEmpty }

    /// Undoes the user's most recent deletion that has not been undone yet.
    ///
    /// - Throws: ``OperationError/notPossible(_:)`` if there is no such deletion.
    package func undoDeletion() throws(OperationError) {
        guard let undo = deletionUndos.popLast() else {
            throw .notPossible("no deletion can be undone")
        }
        let previousLayout = currentLayout()
        undo()
        reloadData()
        guard layout != previousLayout else {
            throw .notPossible("its data source did not restore the element")
        }
    }

    /// Asks the data source to change the model, and then applies the change to the list.
    ///
    /// The change is applied even if the data source does not notify the list.
    ///
    /// - Parameter changeModel: A closure that calls the data source and returns `false` if the model does not seem to
    ///   have changed.
    /// - Returns: The result of `changeModel`.
    private func change(_ change: ListChange, _ changeModel: () -> Bool) -> Bool {
        notifications = DataSourceNotifications()
        let isModelChanged = changeModel()
        let receivedNotifications = notifications ?? DataSourceNotifications()
        notifications = nil
        if receivedNotifications.wasNotified {
            if receivedNotifications.wasReloadRequested { reloadData() } else { reloadIfNeeded() }
        } else if isModelChanged {
            apply(change)
        } else {
            reloadData()
        }
        return isModelChanged
    }

    private func indexPath(ofExistingElement index: Int) throws(OperationError) -> IndexPath {
        guard let indexPath = layout.indexPath(of: index) else {
            throw .noSuchElement(index: index, count: layout.count)
        }
        return indexPath
    }

    /// Turns edit mode on or off on behalf of the user, for the list and for the controller whose root view it is.
    public func changeEditing(_ isOn: Bool) throws(OperationError) {
        guard isOn != isEditing else { return }
        owner?.setEditing(isOn)
        isEditing = isOn
        delegate?.listView(self, didChangeEditing: isOn)
    }
}
