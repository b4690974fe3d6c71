import ControllerKit
import FoundationEssentials
import TestSupport
import Testing

@testable import Preservation
@testable import SampleApplications

/// Tests the controllers that show the details of a possession or an item.
@Suite struct DetailViewControllerTests {
    /// Calls a closure with an empty list of possessions.
    private func withStore(_ body: (DocumentList<Possession>) throws -> Void) throws {
        try withScratchDirectory { directory in
            let documents = try ApplicationStateDirectory(path: "\(directory)/state")
                .documents(of: "org.reprise.Test")
            try body(DocumentList<Possession>(documents, name: "Possessions.json"))
        }
    }

    /// Creates a loaded controller that shows a possession.
    private func detail(
        _ possession: Possession, isNew: Bool = false, in store: DocumentList<Possession>
    ) -> DetailViewController {
        let detail = DetailViewController(isNewPossession: isNew, store: store)
        detail.show(possession)
        detail.loadViewIfNeeded()
        return detail
    }

    /// Returns the field with a placeholder.
    private func field(_ placeholder: String, of detail: DetailViewController) throws -> TextField {
        let fields = detail.view.subviews.compactMap { $0 as? TextField }
        return try #require(fields.first { $0.placeholder == placeholder })
    }

    @Test func `the fields show the name, the serial number and the value, in this order`() throws {
        try withStore { store in
            var possession = Possession()
            possession.name = "Chair"
            possession.serialNumber = "S1"
            possession.value = 7
            let detail = detail(possession, in: store)
            let fields = detail.view.subviews.compactMap { $0 as? TextField }
            #expect(fields.map(\.placeholder) == ["Name", "Serial", "Value"])
            #expect(fields.map(\.text) == ["Chair", "S1", "7"])
        }
    }

    @Test func `an edit appears in all scenes without moving the carets in other fields`() throws {
        try withStore { store in
            let possession = Possession()
            store.append(possession)
            let first = detail(possession, in: store)
            let second = detail(possession, in: store)
            try field("Name", of: first).type("Chair", appending: false)
            #expect(try field("Name", of: second).text == "Chair")
            try field("Name", of: second).selectText(1..<2)
            try field("Serial", of: first).type("S1", appending: false)
            #expect(try field("Serial", of: second).text == "S1")
            #expect(try field("Name", of: second).selectedRange == 1..<2)
            // The field keeps the text that the user has typed, even if it is not the shortest.
            try field("Value", of: first).type("012", appending: false)
            #expect(try field("Value", of: first).text == "012")
            #expect(try field("Value", of: second).text == "12")
            let stored = try #require(store[possession.id])
            #expect(stored.name == "Chair")
            #expect(stored.serialNumber == "S1")
            #expect(stored.value == 12)
        }
    }

    @Test func `a possession has unsaved changes only while its value is not a number`() throws {
        try withStore { store in
            let possession = Possession()
            store.append(possession)
            let detail = detail(possession, in: store)
            #expect(!detail.isModalInPresentation)
            for (text, isModal) in [("x", true), ("", false), ("-5", false), ("5 ", true)] {
                try field("Value", of: detail).type(text, appending: false)
                #expect(detail.isModalInPresentation == isModal, "\(text)")
            }
            try field("Value", of: detail).type("5", appending: false)
            detail.isModalInPresentation = true
            #expect(detail.isModalInPresentation)
        }
    }

    @Test func `the details of a removed possession are closed`() throws {
        try withStore { store in
            let possession = Possession()
            store.append(possession)
            let navigation = NavigationController(rootViewController: ViewController())
            navigation.pushViewController(detail(possession, in: store))
            store.remove([possession.id])
            #expect(navigation.viewControllers.count == 1)
        }
    }

    @Test func `canceling a new possession removes it and dismisses its details`() throws {
        try withStore { store in
            let possession = Possession()
            store.append(possession)
            let root = ViewController()
            let detail = detail(possession, isNew: true, in: store)
            root.present(NavigationController.homepwner(showing: detail))
            try #require(detail.navigationItem.leftBarButtonItem).tap()
            #expect(store.elements.isEmpty)
            #expect(root.presentedViewController == nil)
        }
    }

    @Test func `a row that does not exist has no possession`() throws {
        try withStore { store in
            store.append(Possession())
            let items = ItemsViewController(store: store)
            #expect(items.element(at: IndexPath(row: 0, section: 0)) != nil)
            #expect(items.element(at: IndexPath(row: 1, section: 0)) == nil)
        }
    }

    @Test func `an item has unsaved changes while a field differs, or if code says so`() throws {
        try withScratchDirectory { directory in
            let documents = try ApplicationStateDirectory(path: "\(directory)/state")
                .documents(of: "org.reprise.Test")
            let store = try DocumentList<Item>(documents)
            let controller = ItemViewController()
            let (title, notes) = (TextField(), TextView())
            controller.addOutlet("EditField", title)
            controller.addOutlet("TextView", notes)
            for name in ["saveButton", "cancelButton"] { controller.addOutlet(name, Button()) }
            controller.show(store.elements[0], of: store)
            #expect(!controller.isModalInPresentation)
            for input in [title, notes] as [any TextInput] {
                try input.type("x", appending: true)
                #expect(controller.isModalInPresentation)
                try input.edit(.delete(.left))
                #expect(!controller.isModalInPresentation)
            }
            controller.isModalInPresentation = true
            #expect(controller.isModalInPresentation)
        }
    }
}
