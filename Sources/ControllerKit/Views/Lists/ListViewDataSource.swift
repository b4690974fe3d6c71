import ExactText
public import FoundationEssentials

/// Methods that provide the elements of a list and change the model when the user moves or deletes elements.
///
/// A data source whose elements have stable identifiers also conforms to ``DataSourceModelAssociation``. The list can
/// then find the selected elements after they have been moved (V3).
public protocol ListViewDataSource: AnyObject {
    /// Returns the number of sections.
    ///
    /// The default implementation returns 1.
    func numberOfSections(in listView: ListView) -> Int

    /// Returns the number of elements in a section.
    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int

    /// Returns the text to show for an element.
    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement

    /// Returns whether the user can delete an element.
    ///
    /// The default implementation returns `false`.
    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool

    /// Returns whether the user can move an element.
    ///
    /// The default implementation returns `false`.
    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool

    /// Removes an element from the model after the user has deleted it.
    ///
    /// The list detects the change itself, so you do not have to notify it. The default implementation does nothing.
    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath)

    /// Returns a closure that restores an element that is about to be deleted, or `nil` if the deletion cannot be
    /// undone.
    ///
    /// The list calls this method before ``listView(_:deleteElementAt:)``, and calls the closure if the user undoes the
    /// deletion. By then, the model may have changed. The list stores the closure only in memory. The default
    /// implementation returns `nil`.
    func listView(
        _ listView: ListView, undoForDeletingElementAt indexPath: IndexPath
    ) -> (() -> Void)?

    /// Moves an element in the model after the user has moved it.
    ///
    /// The list detects the change itself, so you do not have to notify it. The default implementation does nothing.
    ///
    /// - Parameters:
    ///   - listView: The list.
    ///   - indexPath: The index path of the element before the move.
    ///   - destination: The index path of the element after the move.
    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath)
}

extension ListViewDataSource {
    /// Returns 1.
    public func numberOfSections(in listView: ListView) -> Int { 1 }
    /// Returns `false`.
    public func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
        false
    }
    /// Returns `false`.
    public func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
        false
    }
    /// Does nothing.
    public func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {}
    /// Returns `nil`.
    public func listView(
        _ listView: ListView, undoForDeletingElementAt indexPath: IndexPath
    ) -> (() -> Void)? { nil }
    /// Does nothing.
    public func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {}
}

/// A data source whose elements have stable model identifiers.
///
/// A list saves the identifiers of its selected elements, so that it finds the elements after the model has been
/// reordered (V3). If the data source does not conform to this protocol, the list saves index paths.
public protocol DataSourceModelAssociation: AnyObject {
    /// Returns the identifier of an element in the model, or `nil` if the element has none and is therefore not saved.
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String?

    /// Returns the current index path of an element, or `nil` if the model does not contain the element.
    func indexPathForElement(withModelIdentifier identifier: String, in view: View) -> IndexPath?
}

/// Methods that are called when the user operates a list.
///
/// After changes made by code, only ``listViewDidChangeSelection(_:)`` is called.
public protocol ListViewDelegate: AnyObject {
    /// Called after the user has selected an element.
    ///
    /// The default implementation does nothing.
    ///
    /// To open an element, use ``listView(_:performPrimaryActionForElementAt:)``.
    func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath)

    /// Called after the user has deselected an element or selected another element instead.
    ///
    /// The default implementation does nothing.
    func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath)

    /// Called after the selection has changed.
    ///
    /// The default implementation does nothing.
    ///
    /// The cause can be the user, code, a change to the model, or the restoration of saved state.
    func listViewDidChangeSelection(_ listView: ListView)

    /// Called after the user has tapped an element to open it while the list is not in edit mode.
    ///
    /// This method is called after ``listView(_:didSelectElementAt:)``. The default implementation does nothing.
    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath)

    /// Called after the user has turned the list's edit mode on or off.
    ///
    /// The default implementation does nothing.
    func listView(_ listView: ListView, didChangeEditing isEditing: Bool)
}

extension ListViewDelegate {
    /// Does nothing.
    public func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath) {}
    /// Does nothing.
    public func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath) {}
    /// Does nothing.
    public func listViewDidChangeSelection(_ listView: ListView) {}
    /// Does nothing.
    public func listView(
        _ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath
    ) {}
    /// Does nothing.
    public func listView(_ listView: ListView, didChangeEditing isEditing: Bool) {}
}
