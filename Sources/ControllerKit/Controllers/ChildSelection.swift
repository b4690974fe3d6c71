import StateRestoration

/// The selected child of a container.
///
/// If the container has children, one child is always selected.
struct ChildSelection {
    /// Link to the selected child.
    private var selectedChildLink = WeakLink<ViewController>()
    /// Index of the selected child.
    ///
    /// If the container has no children, this is the index that was last set.
    private(set) var index = 0
    /// Index that was selected while the container had no children, or `nil` once the container has a child with that
    /// index.
    private var pendingIndex: Int?

    /// Returns the selected child, or `nil` if the container has no children.
    func child(of container: ViewController) -> ViewController? {
        selectedChildLink.object.flatMap { container.hasChild($0) ? $0 : nil }
    }

    /// Selects the child with the given index or, if there is none, the child with the nearest index.
    ///
    /// If the container has no children, the index is stored until the container has a child with that index.
    mutating func select(_ index: Int, of container: ViewController) {
        pendingIndex = container.children.isEmpty ? max(index, 0) : nil
        setIndex(index, of: container)
    }

    private mutating func setIndex(_ index: Int, of container: ViewController) {
        let children = container.children
        self.index = max(children.isEmpty ? index : min(index, children.count - 1), 0)
        selectedChildLink.object = children.isEmpty ? nil : children[self.index]
    }

    /// Updates the selection after children have been added, removed or moved.
    ///
    /// The selected child stays selected. If it has been removed, the child that now has its index is selected instead,
    /// or the last child if the index is too large.
    mutating func update(of container: ViewController) {
        let children = container.children
        if children.isEmpty { return }
        if let pendingIndex {
            if pendingIndex < children.count { self.pendingIndex = nil }
            setIndex(pendingIndex, of: container)
        } else if let index = children.firstIndex(where: { selectedChildLink.refers(to: $0) }) {
            self.index = index
        } else {
            setIndex(index, of: container)
        }
    }
}

/// A container that shows one child at a time: the selected child.
protocol ChildSelecting: ViewController {
    var childSelection: ChildSelection { get set }
}

extension ChildSelecting {
    /// The selected child.
    ///
    /// Setting a controller that is not a child has no effect.
    var selectedChild: ViewController? {
        get { childSelection.child(of: self) }
        set {
            guard let index = children.firstIndex(where: { $0 === newValue }) else { return }
            selectedChildIndex = index
        }
    }

    /// Index of the selected child.
    var selectedChildIndex: Int {
        get { childSelection.index }
        set {
            childSelection.select(newValue, of: self)
            updateShownChild()
            invalidateRestorableState()
        }
    }

    /// Updates the selection and the shown child after the container's children have changed.
    func updateChildSelection() {
        childSelection.update(of: self)
        updateShownChild()
        invalidateRestorableState()
    }

    /// Encodes the children that have identifiers, and a reference to the selected child (P10).
    func encodeChildSelection(
        with coder: StateEncoder, children childrenKey: StaticString,
        selected selectedKey: StaticString
    ) {
        encodeStoryboardChildren(with: coder)
        coder.encode(children.filter { $0.restorationIdentifier != nil }, forKey: childrenKey)
        if let selectedChild, selectedChild.restorationIdentifier != nil {
            coder.encode(selectedChild, forKey: selectedKey)
        }
    }

    /// Adds the recreated children at their saved positions (R9) and restores the saved selection.
    ///
    /// If the selected child was not restored, the selection does not change.
    func restoreChildSelection(_ savedChildren: [ViewController?], selected: ViewController?) {
        let restoredChildren = mergedChildren(with: savedChildren)
        if restoredChildren.count != children.count { replaceChildren(with: restoredChildren) }
        if let selected { selectedChild = selected }
    }
}
