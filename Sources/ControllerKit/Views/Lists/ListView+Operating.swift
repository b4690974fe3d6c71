internal import FoundationEssentials

extension ListView: ListOperating, Editable {
    /// A person selects elements by their numbers, counted from 0 through all sections, in place of
    /// those that were. This opens nothing.
    public func choose(_ indexes: [Int]) throws(OperationError) {
        catchUp()
        try choose(indexes.map(place(ofElement:)))
    }

    /// A person selects elements by their names in the model, in place of those that were.
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
            throw .tooManyElements(given: chosen.count, most: 1)
        }
        let before = Set(selection.map(\.indexPath))
        setSelection(chosen.map(remember))
        tell(deselected: before.subtracting(chosen), selected: chosen.subtracting(before))
    }

    /// A person taps an element.
    ///
    /// Outside of the edit mode it alone is selected then, and the delegate performs its primary
    /// action. In the edit mode nothing is opened: where several can be selected it is selected, or
    /// is no longer, beside the others; else it alone is, or none.
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
        // What stays selected is known by name already.
        let others = selection.filter {
            $0.indexPath != place && chosen.contains($0.indexPath)
        }
        setSelection(others + chosen.intersection([place]).map(remember))
        // A tap tells of the tapped element also if it was selected before, as in UIKit.
        tell(
            deselected: before.subtracting(chosen),
            selected: chosen.subtracting(before.subtracting([place])))
        if !isEditing { delegate?.listView(self, performPrimaryActionForElementAt: place) }
    }

    private func tell(deselected: Set<IndexPath>, selected: Set<IndexPath>) {
        for place in deselected.sorted() { delegate?.listView(self, didDeselectElementAt: place) }
        for place in selected.sorted() { delegate?.listView(self, didSelectElementAt: place) }
    }

    /// A person moves an element, in the edit mode or by dragging it.
    public func moveElement(from index: Int, to destination: Int) throws(OperationError) {
        catchUp()
        let origin = try place(ofElement: index)
        var place = try place(ofElement: destination)
        guard let dataSource, dataSource.listView(self, canMoveElementAt: origin) else {
            throw .notPossible("the element \(index) cannot be moved")
        }
        guard place != origin else { return }
        // Behind the end of its own section everything moves up by one.
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

    /// A person deletes an element, in the edit mode or by swiping.
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

    /// Lets the data source change the model, and takes over what became of it, told or not.
    ///
    /// - Parameter ask: asks the data source; false if the change did not happen, as far as that
    ///   can be seen.
    /// - Returns: what `ask` gives.
    private func change(_ change: ListChange, _ ask: () -> Bool) -> Bool {
        answer = DataSourceAnswer()
        let isDone = ask()
        let told = answer ?? DataSourceAnswer()
        answer = nil
        if told.wasTold {
            if told.wasReloaded { reloadData() } else { catchUp() }
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

    /// A person turns the edit mode of the list and of its controller on or off.
    public func changeEditing(_ isOn: Bool) throws(OperationError) {
        guard isOn != isEditing else { return }
        owner?.setEditing(isOn)
        isEditing = isOn
        delegate?.listView(self, didChangeEditing: isOn)
    }
}
