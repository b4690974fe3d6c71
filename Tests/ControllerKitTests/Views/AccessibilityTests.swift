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
        #expect(elements.map(\.label) == ["Name", ""])
    }

    @Test func `only a label names the control after it, and only if the control has no title`() {
        let field = TextField()
        field.text = "Ada"
        #expect(elements(field, TextField()).map(\.label) == ["", ""])
        #expect(elements(Label(text: "A"), Label(text: "B")).map(\.label) == ["", ""])
        let control = PageControl()
        control.numberOfPages = 2
        #expect(elements(Label(text: "Name"), control).map(\.label) == ["", "Page"])
    }

    @Test func `the element of a text field contains its text, placeholder and selection`() throws {
        let field = TextField()
        field.text = "Ada"
        field.placeholder = "Name"
        field.select(1..<2)
        let element = try #require(elements(field).first)
        #expect(element.value == "Ada")
        #expect(element.placeholder == "Name")
        #expect(element.text?.isSecret == false)
        #expect(element.text?.selection == 1..<2)
        #expect(element.actions == [.replaceText])
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
        final class Panel: View {
            override func draw(on canvas: inout TextCanvas) {
                canvas.line("")
                canvas.line("70 %")
            }
        }
        let elements = elements(Gauge(), Empty(), View(), Panel())
        #expect(elements.map(\.value) == ["70 %", "\n70 %"])
    }

    @Test func `a custom view is described by the visible view that it contains`() {
        final class Box: View {}
        let box = Box()
        let hidden = Label(text: "hidden")
        hidden.isHidden = true
        box.addSubview(hidden)
        box.addSubview(Button(title: "Save"))
        #expect(elements(box).map(\.role) == [.button])
    }

    @Test func `all views inside another view are described`() {
        let box = View()
        box.addSubview(Label(text: "A"))
        box.addSubview(Label(text: "B"))
        #expect(elements(box).map(\.value) == ["A", "B"])
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

    /// Returns the value, the minimum and the maximum of an element's number.
    private func numbers(_ element: AccessibilityElement?) -> [Double]? {
        element?.number.map { [$0.value, $0.minimum, $0.maximum] }
    }

    @Test func `a page control is a slider unless it has no pages`() throws {
        let control = PageControl()
        #expect(elements(control).isEmpty)
        control.numberOfPages = 1
        #expect(elements(control).count == 1)
        control.numberOfPages = 3
        control.currentPage = 2
        let element = try #require(elements(control).first)
        #expect(element.role == .slider)
        #expect(numbers(element) == [2, 0, 2])
        #expect(element.actions == [.select])
    }

    @Test func `a scroll view is a group only if it can be zoomed`() throws {
        let view = ScrollView()
        view.addSubview(Label(text: "A"))
        #expect(elements(view).map(\.role) == [.text])
        view.maximumZoomScale = 4
        view.zoomScale = 2
        let group = try #require(elements(view).first)
        #expect(group.role == .group)
        #expect(numbers(group) == [2, 1, 4])
        #expect(group.actions == [.zoom])
        #expect(group.children.map(\.value) == ["A"])
    }

    @Test func `a web view has only the actions that are possible`() throws {
        let view = WebView()
        view.maximumZoomScale = 1
        #expect(elements(view).map(\.actions) == [[.load]])
        try view.load("https://example.org/a")
        try view.load("https://example.org/b")
        #expect(elements(view).map(\.actions) == [[.load, .back]])
        try view.goBack()
        view.maximumZoomScale = 4
        #expect(elements(view).map(\.actions) == [[.load, .forward, .zoom]])
        #expect(numbers(elements(view).first) == [1, 1, 4])
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
        view.minimumZoomScale = 4
        #expect(view.accessibilityElements(maximumRows: 1)[0].actions == [.scroll])
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

    @Test func `the bar of a page controller has a number only if there are several pages`() {
        let pages = PageViewController()
        pages.setPages([ViewController()])
        #expect(numbers(pages.view.accessibilityElements(maximumRows: 1).last) == nil)
        pages.setPages([ViewController(), ViewController(), ViewController()])
        pages.currentIndex = 1
        #expect(numbers(pages.view.accessibilityElements(maximumRows: 1).last) == [1, 0, 2])
    }

    @Test func `a column that is hidden or shown elsewhere is not described`() {
        let split = SplitViewController()
        let controllers = (["hidden", "moved", "shown"] as [RestorationIdentifier]).map {
            ViewController.named($0)
        }
        split.setStoryboardChildren(controllers)
        split.loadViewIfNeeded()
        controllers[0].view.isHidden = true
        let box = View()
        box.addSubview(controllers[1].view)
        let columns = split.view.accessibilityElements(maximumRows: 1)
        #expect(columns.map(\.label) == ["shown"])
        #expect(box.subviews.count == 1)
    }
}
