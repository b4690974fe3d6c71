import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

/// A model that consists of strings in sections, without model identifiers.
class ListModel: ListViewDataSource {
    var sections: [[String]]
    /// Whether the user can delete and move elements.
    var allowsEditing = true
    /// Whether the model deletes and moves elements when it is asked to.
    var performsEdits = true
    /// Whether the model can undo deletions.
    var undoesDeletions = false
    /// A closure that notifies a list after the model has changed.
    var notify: (ListView, Edit) -> Void = { _, _ in }

    enum Edit {
        case deleted(IndexPath)
        case moved(IndexPath, IndexPath)
    }

    init(_ sections: [String]...) {
        self.sections = sections
    }

    /// Returns elements with the numbers in a range.
    static func numbered(_ range: Range<Int>) -> [String] { range.map { "e\($0)" } }

    func numberOfSections(in listView: ListView) -> Int { sections.count }

    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
        sections[section].count
    }

    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        ListElement(text: sections[indexPath.section][indexPath.row])
    }

    func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
        allowsEditing
    }

    func listView(_ listView: ListView, canMoveElementAt indexPath: IndexPath) -> Bool {
        allowsEditing
    }

    func listView(_ listView: ListView, deleteElementAt indexPath: IndexPath) {
        guard performsEdits else { return }
        sections[indexPath.section].remove(at: indexPath.row)
        notify(listView, .deleted(indexPath))
    }

    func listView(
        _ listView: ListView, undoForDeletingElementAt indexPath: IndexPath
    ) -> (() -> Void)? {
        guard undoesDeletions else { return nil }
        let element = sections[indexPath.section][indexPath.row]
        return { [self] in
            if performsEdits { sections[indexPath.section].insert(element, at: indexPath.row) }
        }
    }

    func listView(
        _ listView: ListView, moveElementAt indexPath: IndexPath, to destination: IndexPath
    ) {
        guard performsEdits else { return }
        let element = sections[indexPath.section].remove(at: indexPath.row)
        sections[destination.section].insert(element, at: destination.row)
        notify(listView, .moved(indexPath, destination))
    }

    /// Returns the text of the selected elements of a list.
    func selected(in list: ListView) -> [String] {
        list.indexPathsForSelectedElements.map { sections[$0.section][$0.row] }
    }

    /// Returns the text of the first visible element of a list.
    func first(in list: ListView) -> String? {
        list.indexPathForFirstVisibleElement.map { sections[$0.section][$0.row] }
    }
}

/// A model in which the text of an element is its model identifier.
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

/// A delegate that logs the calls from a list.
final class ListLog: ListViewDelegate {
    var calls: [String] = []

    func listView(_ listView: ListView, didSelectElementAt indexPath: IndexPath) {
        calls.append("+\(indexPath.section).\(indexPath.row)")
    }

    func listView(_ listView: ListView, didDeselectElementAt indexPath: IndexPath) {
        calls.append("-\(indexPath.section).\(indexPath.row)")
    }

    func listView(
        _ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath
    ) {
        calls.append("open \(indexPath.section).\(indexPath.row)")
    }

    func listView(_ listView: ListView, didChangeEditing isEditing: Bool) {
        calls.append("editing \(isEditing)")
    }

    /// Returns the calls since the last call to this method.
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }
}

extension ListView {
    /// Creates a list that shows a model, and allows multiple selection by default.
    static func showing(_ model: ListModel, several: Bool = true) -> Self {
        let list = Self()
        list.allowsMultipleSelection = several
        list.visibleSize.height = 3
        list.dataSource = model
        return list
    }
}

/// Returns a controller that shows a view, both of which are preserved.
func page(_ view: View) -> ViewController {
    let page = ViewController.named("page")
    view.restorationIdentifier = "view"
    page.view.addSubview(view)
    return page
}

/// Saves a view, and restores the saved state into another view.
///
/// - Parameter count: The expected number of restored objects, which is 1 if the view is not
///   restored.
func restore<Restored: View>(
    _ view: Restored, into found: Restored, count: Int = 2
) throws {
    let first = TestApplication(page(view))
    try first.launch()
    first.save()
    let report = try TestApplication(page(found)).launch(restoring: first)
    #expect(report.restored == count)
}

/// Returns the values that a view saves, keyed by name.
func savedValues(of view: View) throws -> [String: StoredValue] {
    let application = TestApplication(page(view))
    try application.launch()
    return try savedValues(of: view, in: application)
}

/// Returns the values that a view saves in an application.
func savedValues(of view: View, in application: TestApplication) throws -> [String: StoredValue] {
    try StateInspection(#require(application.scene)).values(
        of: view, passMetadata: PassMetadata(bundleVersion: "1", timestamp: 0, systemVersion: ""))
}
