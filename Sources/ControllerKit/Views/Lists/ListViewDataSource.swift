import ExactText
public import FoundationEssentials

/// Tells a list what it shows, and changes the model when a person moves or deletes elements.
///
/// A data source whose elements have names of their own conforms to ``DataSourceModelAssociation``
/// as well, so that what is selected is found again wherever it was moved to (V3).
public protocol ListViewDataSource: AnyObject {
    /// How many sections there are. The default is 1.
    func numberOfSections(in listView: ListView) -> Int

    /// How many elements a section has.
    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int

    /// The text to show of an element.
    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement

    /// Whether a person may delete an element. The default is false.
    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool

    /// Whether a person may move an element. The default is false.
    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool

    /// A person deletes an element: take it out of the model. The list then finds out by itself
    /// what has changed; telling it does no harm. The default does nothing.
    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath)

    /// A person moves an element: move it in the model. The list then finds out by itself what has
    /// changed; telling it does no harm. The default does nothing.
    ///
    /// - Parameters:
    ///   - listView: the list.
    ///   - indexPath: where the element is.
    ///   - destination: where it is afterwards.
    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath)
}

extension ListViewDataSource {
    /// One section.
    public func numberOfSections(in listView: ListView) -> Int { 1 }
    /// False.
    public func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
        false
    }
    /// False.
    public func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
        false
    }
    /// Does nothing.
    public func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {}
    /// Does nothing.
    public func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {}
}

/// The text that a list shows of one element, on one line.
public struct ListElement: Sendable, Hashable {
    /// What stands on the left.
    public var text: String
    /// What stands at the right edge.
    public var detail: String

    /// An element that shows this.
    public init(text: String, detail: String = "") {
        self.text = text
        self.detail = detail
    }
}

/// A data source whose elements have names that last: rows are saved by these, and found again
/// after any reorder (V3). Without it they are saved by their places.
public protocol DataSourceModelAssociation: AnyObject {
    /// The name of an element in the model; nil if it has none: it is not saved then.
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String?

    /// Where the element of that name is now; nil if the model has none: it is skipped then.
    func indexPathForElement(withModelIdentifier identifier: String, in view: View) -> IndexPath?
}

/// Is told what a person did to a list. What code does to it is not told, but for
/// ``listViewDidChangeSelection(_:)``.
public protocol ListViewDelegate: AnyObject {
    /// A person selected an element. That opens nothing: see
    /// ``listView(_:performPrimaryActionForElementAt:)``. The default does nothing.
    func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath)

    /// A person selected another element instead, or this one no longer. The default does nothing.
    func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath)

    /// Other elements are selected than before, whether a person, code, a change of the model or a
    /// launch made it so. The default does nothing.
    func listViewDidChangeSelection(_ listView: ListView)

    /// A person tapped an element outside of the edit mode, to see what is behind it: open its
    /// detail here. Comes after ``listView(_:didSelectElementAt:)``. The default does nothing.
    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath)

    /// A person turned the list's edit mode on or off. The default does nothing.
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
