import FoundationEssentials
import StateRestoration
import Testing

@testable import ControllerKit

/// The meaning of views and controllers, for clients that present a scene by roles.
@Suite struct AccessibilityTests {
    private func elements(_ views: View..., maximumRows: Int = 10) -> [AccessibilityElement] {
        let container = View()
        for view in views { container.addSubview(view) }
        return container.accessibilityElements(maximumRows: maximumRows)
    }

    @Test func `controls have roles, and hidden views have none`() throws {
        let hidden = Button(title: "hidden")
        hidden.isHidden = true
        let disabled = Button(title: "Save")
        disabled.isEnabled = false
        let toggle = Switch()
        toggle.isOn = true
        let slider = Slider()
        slider.value = 0.25
        let elements = elements(Label(text: "A"), hidden, disabled, toggle, slider, Label())
        #expect(elements.map(\.role) == [.text, .button, .switch, .slider])
        #expect(elements[0].value == "A")
        #expect(elements[1].label == "Save")
        #expect(!elements[1].isEnabled)
        #expect(elements[2].isSelected == true)
        #expect(try #require(elements[3].number).value == 0.25)
    }

    @Test func `a control without a title is labeled by the text before it`() {
        let elements = elements(Label(text: "Name"), TextField(), TextField())
        #expect(elements.map(\.label) == ["", "Name", ""])
    }

    @Test func `P15: an element does not contain the text of a secure field`() throws {
        let field = SecureTextField()
        field.secret.value = "hunter2"
        let element = try #require(elements(field).first)
        #expect(element.role == .textbox)
        #expect(element.value == nil)
        #expect(element.text?.isSecret == true)
        #expect(element.text?.selection == nil)
    }

    @Test func `a text view is a text box only if the user can edit it`() {
        let view = TextView()
        view.text = "a\nb"
        #expect(elements(view).map(\.role) == [.textbox])
        #expect(elements(view).first?.text?.isMultiline == true)
        view.isEditable = false
        #expect(elements(view).map(\.role) == [.text])
        #expect(elements(view).first?.value == "a\nb")
    }

    @Test func `a view of the program that draws something is text`() {
        final class Gauge: View {
            override func draw(on canvas: inout TextCanvas) { canvas.line("70 %") }
        }
        final class Empty: View {
            override func draw(on canvas: inout TextCanvas) {}
        }
        let elements = elements(Gauge(), Empty(), View())
        #expect(elements.map(\.value) == ["70 %"])
    }

    @Test func `segments are radio buttons, one of which is selected`() throws {
        let control = SegmentedControl()
        control.segments = ["One", "Two"]
        control.selectedSegmentIndex = 1
        let group = try #require(elements(control).first)
        #expect(group.role == .radiogroup)
        #expect(group.children.map(\.role) == [.radio, .radio])
        #expect(group.children.map(\.label) == ["One", "Two"])
        #expect(group.children.map(\.isSelected) == [false, true])
    }

    private final class Rows: ListViewDataSource {
        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { 1000 }
        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(text: "Row \(indexPath.row)", detail: "d")
        }
        func listView(_ listView: ListView, canEditElementAt indexPath: IndexPath) -> Bool {
            indexPath.row == 500
        }
    }

    @Test func `a long list contains the rows from the first visible row`() throws {
        let rows = Rows()
        let table = TableView()
        table.dataSource = rows
        table.contentOffset.y = 498
        var list = try #require(elements(table).first)
        #expect(list.role == .table)
        #expect(list.list == AccessibilityList(count: 1000, firstIndex: 498, isEditing: false))
        #expect(list.children.map(\.index) == Array(498..<508))
        #expect(list.children.first?.label == "Row 498")
        #expect(list.children.allSatisfy { $0.actions == [.tap] })
        table.isEditing = true
        list = try #require(elements(table).first)
        #expect(list.children[2].actions == [.tap, .delete])
        table.contentOffset.y = 1000
        list = try #require(elements(table).first)
        #expect(list.children.map(\.index) == Array(990..<1000))
    }

    @Test func `a window describes the presented controller as a dialog`() {
        let window = Window()
        let root = ViewController()
        root.title = "Root"
        let navigation = NavigationController(rootViewController: root)
        window.rootViewController = navigation
        #expect(window.accessibilityElement(maximumRows: 1).children.isEmpty)
        window.makeKeyAndVisible()
        let child = ViewController()
        child.title = "Child"
        child.navigationItem.rightBarButtonItem = BarButtonItem(title: "Done")
        navigation.pushViewController(child)
        var element = window.accessibilityElement(maximumRows: 1)
        #expect(element.role == .group)
        #expect(element.children.map(\.role) == [.navigation])
        #expect(element.children[0].label == "Child")
        #expect(element.children[0].children.map(\.label) == ["Root", "Done"])
        #expect(element.children[0].children.map(\.actions) == [[.back], [.tap]])
        let sheet = ViewController()
        sheet.title = "Sheet"
        child.present(sheet)
        element = window.accessibilityElement(maximumRows: 1)
        #expect(element.role == .dialog)
        #expect(element.label == "Sheet")
        #expect(element.actions == [.dismiss])
    }

    @Test func `only a picture can be scrolled and zoomed`() throws {
        let view = ImageView()
        view.maximumZoomScale = 4
        #expect(view.accessibilityElements(maximumRows: 1)[0].actions == [])
        view.image = try Image(data: Data("P5 2 2 255\n".utf8) + Data(count: 4))
        #expect(view.accessibilityElements(maximumRows: 1)[0].actions == [.scroll, .zoom])
    }

    @Test func `tabs, pages and columns are described after or around their content`() throws {
        func controller(_ title: String) -> ViewController {
            let controller = ViewController()
            controller.title = title
            controller.view.addSubview(Label(text: "in \(title)"))
            return controller
        }
        let tabs = TabBarController()
        tabs.setViewControllers([controller("A"), controller("B")])
        tabs.selectedIndex = 1
        let tabElements = tabs.view.accessibilityElements(maximumRows: 1)
        #expect(tabElements.map(\.role) == [.text, .tablist])
        #expect(tabElements[0].value == "in B")
        #expect(tabElements[1].children.map(\.isSelected) == [false, true])

        let pages = PageViewController()
        pages.setPages([controller("A"), controller("B")])
        let pageElements = pages.view.accessibilityElements(maximumRows: 1)
        #expect(pageElements.map(\.role) == [.text, .navigation])
        #expect(pageElements[1].actions == [.forward])
        pages.currentIndex = 1
        #expect(pages.view.accessibilityElements(maximumRows: 1)[1].actions == [.back])
        pages.setPages([])
        #expect(pages.view.accessibilityElements(maximumRows: 1)[0].actions == [])
        pages.setPages([controller("A")])
        let source = EmptyPageSource()
        pages.dataSource = source
        let pageBar = try #require(pages.view.accessibilityElements(maximumRows: 1).last)
        #expect(pageBar.actions == [.back, .forward], "the data source may have further pages")

        let split = SplitViewController()
        split.setViewController(controller("A"), for: .primary)
        split.setViewController(controller("B"), for: .secondary)
        let columns = split.view.accessibilityElements(maximumRows: 1)
        #expect(columns.map(\.label) == ["A", "B"])
        #expect(columns.map { $0.children.map(\.value) } == [["in A"], ["in B"]])
    }
}
