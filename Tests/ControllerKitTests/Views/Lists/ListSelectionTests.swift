import ControllerKit
import Testing

@Suite struct ListSelectionTests {
    /// A delegate that records the state of a list when the selection changes.
    private final class Watcher: ListViewDelegate {
        var observed: [String] = []

        func listViewDidChangeSelection(_ listView: ListView) {
            observed.append(
                "\(listView.hasSelection) \(Int(listView.contentSize.height)) "
                    + "\(Int(listView.contentOffset.y))")
        }
    }

    @Test func `a delegate notified of a selection change finds the list up to date`() throws {
        let model = NamedListModel(ListModel.numbered(0..<10))
        let list = TableView.showing(model, several: true)
        list.visibleSize.height = 4
        let watcher = Watcher()
        list.delegate = watcher
        list.contentOffset.y = 6
        try list.select([9])
        try list.deleteElement(at: 9)
        // The maximum offset is 5 for nine rows.
        #expect(watcher.observed == ["true 10 6", "false 9 5"])
    }
}
