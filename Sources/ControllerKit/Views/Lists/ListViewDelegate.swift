public import FoundationEssentials

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

    /// A person tapped an element outside of the edit mode, to see what is behind it: open its detail
    /// here. Comes after ``listView(_:didSelectElementAt:)``. The default does nothing.
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
