internal import FoundationEssentials

extension ListView: ListOperating, Editable {
    /// Selects the elements with the given zero-based numbers across all sections on behalf of the user.
    ///
    /// The new selection replaces the previous selection. This method does not open any element.
    public func choose(_ indexes: [Int]) throws(OperationError) {
        catchUp()
        try choose(indexes.map(place(ofElement:)))
    }

    /// Selects the elements with the given model identifiers on behalf of the user.
    ///
    /// The new selection replaces the previous selection.
    public func choose(modelIdentifiers: [String]) throws(OperationError) {
        catchUp()
        guard let association else {
            throw .notPossible("its elements have no identifiers: choose them by index")
        }
        var places: [IndexPath] = []
        for identifier in modelIdentifiers {
            let place = association.indexPathForElement(withModelIdentifier: identifier, in: self)
            guard let place, layout.contains(place) else {
                throw .noSuchModelIdentifier(identifier)
            }
            places.append(place)
        }
        try choose(places)
    }

    private func choose(_ places: [IndexPath]) throws(OperationError) {
        let chosen = Set(places)
        guard allowsMultipleSelection || chosen.count <= 1 else {
            throw .tooManyElements(given: chosen.count, maximum: 1)
        }
        let before = Set(selection.map(\.indexPath))
        setSelection(chosen.map(remember))
        notifyDelegate(deselected: before.subtracting(chosen), selected: chosen.subtracting(before))
    }

    /// Taps an element on behalf of the user.
    ///
    /// Outside edit mode, the tap selects only this element, and the delegate performs its primary action. In edit
    /// mode, the tap selects or deselects the element without opening it. The other elements stay selected only if the
    /// list allows multiple selection.
    public func tapElement(at index: Int) throws(OperationError) {
        catchUp()
        let place = try place(ofElement: index)
        let before = Set(selection.map(\.indexPath))
        var chosen: Set = [place]
        if isEditing {
            if allowsMultipleSelection {
                chosen = before.symmetricDifference(chosen)
            } else if before.contains(place) {
                chosen = []
            }
        }
        // The model identifiers of the other elements are already known.
        let others = selection.filter {
            $0.indexPath != place && chosen.contains($0.indexPath)
        }
        setSelection(others + chosen.intersection([place]).map(remember))
        // As in UIKit, the delegate is notified of the tapped element even if it was selected before.
        notifyDelegate(
            deselected: before.subtracting(chosen),
            selected: chosen.subtracting(before.subtracting([place])))
        if !isEditing { delegate?.listView(self, performPrimaryActionForElementAt: place) }
    }

    private func notifyDelegate(deselected: Set<IndexPath>, selected: Set<IndexPath>) {
        for place in deselected.sorted() { delegate?.listView(self, didDeselectElementAt: place) }
        for place in selected.sorted() { delegate?.listView(self, didSelectElementAt: place) }
    }

    /// Moves an element on behalf of the user, in edit mode or by dragging.
    public func moveElement(from index: Int, to destination: Int) throws(OperationError) {
        catchUp()
        let origin = try place(ofElement: index)
        var place = try place(ofElement: destination)
        guard let dataSource, dataSource.listView(self, canMoveElementAt: origin) else {
            throw .notPossible("the element \(index) cannot be moved")
        }
        guard place != origin else { return }
        // Removing the element moves all later elements up by one, so the destination in a later section is one row
        // further down.
        if origin.section < place.section {
            place = IndexPath(row: place.row + 1, section: place.section)
        }
        let moved = remember(origin).modelIdentifier
        func isAt(_ place: IndexPath) -> Bool {
            moved == nil
                || currentLayout().contains(place) && remember(place).modelIdentifier == moved
        }
        let isDone = change(.move(from: origin, to: place)) {
            dataSource.listView(self, moveElementAt: origin, to: place)
            return isAt(place)
        }
        if !isDone, isAt(origin) {
            throw .notPossible("its data source did not move the element \(index)")
        }
    }

    /// Deletes an element on behalf of the user, in edit mode or by swiping.
    public func deleteElement(at index: Int) throws(OperationError) {
        catchUp()
        let place = try place(ofElement: index)
        guard let dataSource, dataSource.listView(self, canEditElementAt: place) else {
            throw .notPossible("the element \(index) cannot be deleted")
        }
        let before = layout
        let isDone = change(.deletion([place])) {
            dataSource.listView(self, deleteElementAt: place)
            return currentLayout() != before
        }
        guard isDone else {
            throw .notPossible("its data source did not delete the element \(index)")
        }
    }

    /// Calls the data source to change the model, and applies the change even if the data source does not notify the
    /// list.
    ///
    /// - Parameter ask: A closure that calls the data source. It returns `false` if the model has apparently not
    ///   changed.
    /// - Returns: The result of `ask`.
    private func change(_ change: ListChange, _ ask: () -> Bool) -> Bool {
        answer = DataSourceAnswer()
        let isDone = ask()
        let notified = answer ?? DataSourceAnswer()
        answer = nil
        if notified.wasNotified {
            if notified.wasReloaded { reloadData() } else { catchUp() }
        } else if isDone {
            apply(change)
        } else {
            reloadData()
        }
        return isDone
    }

    private func place(ofElement index: Int) throws(OperationError) -> IndexPath {
        guard let place = layout.indexPath(of: index) else {
            throw .noSuchElement(index: index, count: layout.count)
        }
        return place
    }

    /// Turns the edit mode of the list and its controller on or off on behalf of the user.
    public func changeEditing(_ isOn: Bool) throws(OperationError) {
        guard isOn != isEditing else { return }
        owner?.setEditing(isOn)
        isEditing = isOn
        delegate?.listView(self, didChangeEditing: isOn)
    }
}
