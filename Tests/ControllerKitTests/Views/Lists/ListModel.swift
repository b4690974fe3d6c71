import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

/// A model of texts in sections, which a list shows by place.
class ListModel: ListViewDataSource {
    var sections: [[String]]
    /// Whether a person may delete and move.
    var isChangeable = true
    /// Whether it does what it is asked to.
    var obeys = true
    /// What it tells a list after it changed.
    var tell: (ListView, ListChangeTold) -> Void = { _, _ in }

    enum ListChangeTold {
        case deleted(IndexPath)
        case moved(IndexPath, IndexPath)
    }

    init(_ sections: [String]...) {
        self.sections = sections
    }

    /// Elements with the numbers of a range.
    static func numbered(_ range: Range<Int>) -> [String] { range.map { "e\($0)" } }

    func numberOfSections(in listView: ListView) -> Int { sections.count }

    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
        sections[section].count
    }

    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        ListElement(text: sections[indexPath.section][indexPath.row])
    }

    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
        isChangeable
    }

    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
        isChangeable
    }

    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {
        guard obeys else { return }
        sections[indexPath.section].remove(at: indexPath.row)
        tell(listView, .deleted(indexPath))
    }

    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {
        guard obeys else { return }
        let element = sections[indexPath.section].remove(at: indexPath.row)
        sections[destination.section].insert(element, at: destination.row)
        tell(listView, .moved(indexPath, destination))
    }

    /// What is selected in a list, as texts.
    func selected(in list: ListView) -> [String] {
        list.indexPathsForSelectedElements.map { sections[$0.section][$0.row] }
    }

    /// What is seen first in a list.
    func first(in list: ListView) -> String? {
        list.indexPathForFirstVisibleElement.map { sections[$0.section][$0.row] }
    }
}

/// A model whose elements are found by their texts.
final class NamedListModel: ListModel, DataSourceModelAssociation {
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
        sections[indexPath.section][indexPath.row]
    }

    func indexPathForElement(
        withModelIdentifier identifier: String, in view: View
    ) -> IndexPath? {
        for (section, elements) in sections.enumerated() {
            if let row = elements.firstIndex(of: identifier) {
                return IndexPath(row: row, section: section)
            }
        }
        return nil
    }
}

/// Notes what a list's delegate is told.
final class ListLog: ListViewDelegate {
    var notes: [String] = []

    func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath) {
        notes.append("+\(indexPath.section).\(indexPath.row)")
    }

    func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath) {
        notes.append("-\(indexPath.section).\(indexPath.row)")
    }

    func listView(
        _ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath
    ) {
        notes.append("open \(indexPath.section).\(indexPath.row)")
    }

    func listView(_ listView: ListView, didChangeEditing isEditing: Bool) {
        notes.append("editing \(isEditing)")
    }

    /// What was told since this was last asked.
    func take() -> [String] {
        defer { notes = [] }
        return notes
    }
}

extension ListView {
    /// A list of a model, of which several elements can be selected.
    static func showing(_ model: ListModel, several: Bool = true) -> Self {
        let list = Self()
        list.allowsMultipleSelection = several
        list.visibleSize.height = 3
        list.dataSource = model
        return list
    }
}

/// A controller that shows a view, which takes part in preservation.
func page(_ view: View) -> ViewController {
    let page = ViewController.named("page")
    view.restorationIdentifier = "view"
    page.view.addSubview(view)
    return page
}

/// Saves a view, and restores another one with what was saved of it.
///
/// - Parameter count: how many objects are restored: 1 if the view refuses.
func restore<Restored: View>(
    _ view: Restored, into found: Restored, count: Int = 2
) throws {
    let first = TestApplication(page(view))
    try first.launch()
    first.save()
    let report = try TestApplication(page(found)).launch(restoring: first)
    #expect(report.restored == count)
}

/// The values that a view saves, and by what they can be told.
func savedValues(of view: View) throws -> [String: StoredValue] {
    let application = TestApplication(page(view))
    try application.launch()
    return try savedValues(of: view, in: application)
}

/// The values that a view saves in an application.
func savedValues(of view: View, in application: TestApplication) throws -> [String: StoredValue] {
    try StateInspection(#require(application.scene)).values(
        of: view, stamp: PassStamp(bundleVersion: "1", timestamp: 0, systemVersion: ""))
}
