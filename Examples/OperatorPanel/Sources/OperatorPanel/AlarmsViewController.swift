import ControllerKit
import FoundationEssentials
import StateRestoration

/// An event that requires an operator's attention.
struct Alarm: Codable {
    var number: Int
    var text: String
    var isAcknowledged = false
}

/// A list of alarms, newest first.
///
/// Tapping an alarm acknowledges it.
final class AlarmsViewController: TableViewController {
    @Restorable("alarms") private(set) var alarms: [Alarm] = []
    private static let maximumCount = 50

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$alarms)
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        tableView.restorationIdentifier = "table"
    }

    /// Adds an alarm.
    func raise(_ text: String) {
        alarms.insert(Alarm(number: (alarms.first?.number ?? 0) + 1, text: text), at: 0)
        if alarms.count > Self.maximumCount { alarms.removeLast() }
        tableView.reloadData()
    }
}

extension AlarmsViewController: ListViewDataSource {
    func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int {
        alarms.count
    }

    func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
        let alarm = alarms[indexPath.item]
        return ListElement(
            text: "\(alarm.number) \(alarm.text)", detail: alarm.isAcknowledged ? "seen" : "NEW")
    }
}

/// Identifies alarms by number, so that the selection is restored even if alarms have been added.
extension AlarmsViewController: DataSourceModelAssociation {
    func modelIdentifierForElement(at indexPath: IndexPath, in view: View) -> String? {
        "\(alarms[indexPath.item].number)"
    }

    func indexPathForElement(withModelIdentifier identifier: String, in view: View) -> IndexPath? {
        alarms.firstIndex { "\($0.number)" == identifier }.map { IndexPath(item: $0, section: 0) }
    }
}

extension AlarmsViewController: ListViewDelegate {
    func listView(_ listView: ListView, performPrimaryActionForElementAt indexPath: IndexPath) {
        alarms[indexPath.item].isAcknowledged = true
        tableView.reloadData()
    }
}
