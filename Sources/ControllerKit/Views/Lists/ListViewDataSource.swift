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

    /// What to show of an element.
    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement

    /// Whether a person may delete an element. The default is false.
    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool

    /// Whether a person may move an element. The default is false.
    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool

    /// A person deletes an element: take it out of the model. The list then finds out by itself what
    /// has changed; telling it does no harm. The default does nothing.
    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath)

    /// A person moves an element: move it in the model. The list then finds out by itself what has
    /// changed; telling it does no harm. The default does nothing.
    ///
    /// - Parameters:
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
