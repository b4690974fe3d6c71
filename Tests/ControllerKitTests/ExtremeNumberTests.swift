import ControllerKit
import FoundationEssentials
import StateRecords
import StateRestoration
import TestSupport
import Testing

/// Tests extreme values for every number in a storyboard or record.
@Suite struct ExtremeNumberTests {
    private static let extremeValues: [PropertyValue] =
        ExtremeNumbers.integers.map { .integer(Int($0)) }
        + ExtremeNumbers.doubles.flatMap { number in
            [.double(number)] + [1, 2, 4].map { .numbers(Array(repeating: number, count: $0)) }
        }

    @Test func `every number that a property accepts can be drawn, saved and restored`() throws {
        for token in ClassRegistry.controllerKit.constructibleTokens {
            let names = try #require(make(token)).properties.map(\.name)
            for name in names {
                for value in Self.extremeValues { try tryProperty(name, of: token, value) }
            }
        }
    }

    private func make(_ token: String) -> (any StoryboardConfigurable & StateRestoring)? {
        ClassRegistry.controllerKit.makeObject(token)
            as? any StoryboardConfigurable & StateRestoring
    }

    private func tryProperty(_ name: String, of token: String, _ value: PropertyValue) throws {
        func root() throws -> ViewController? {
            let object = try #require(make(token))
            do throws(PropertyError) { try object.setProperty(name, to: value) } catch {
                return nil
            }
            if let controller = object as? ViewController {
                controller.restorationIdentifier = "root"
                return controller
            }
            let holder = SingleViewController<View>.named("root")
            if let view = object as? View { holder.contentView = view }
            return holder
        }
        guard let first = try root(), let second = try root() else { return }
        let application = TestApplication(first)
        try application.launch()
        _ = application.window?.drawn(columns: 80)
        application.save()
        let next = TestApplication(second)
        try next.launch(restoring: application)
        _ = next.window?.drawn(columns: 80)
    }

    @Test func `every number in a record can be restored, drawn and saved again`() throws {
        let application = TestApplication(EverythingController.named("root"))
        try application.launch()
        application.save()
        var count = 0
        for record in application.archived {
            let numbers = try NumberReplacement.count(in: record.values)
            count += numbers
            for index in 0..<numbers {
                for (integer, double) in zip(Self.repeated, ExtremeNumbers.doubles) {
                    let values = try NumberReplacement.values(
                        record.values, replacing: index, by: integer, or: double)
                    let next = TestApplication(EverythingController.named("root"))
                    let saved = application.replacingValues(of: record.header.number, by: values)
                    try next.launch(restoring: saved)
                    _ = next.window?.drawn(columns: 80)
                    next.save()
                }
            }
        }
        #expect(count >= 20, "too few numbers are saved for this test to mean anything")
    }

    /// Integers, repeated so that there are at least as many integers as floating-point numbers.
    private static let repeated = ExtremeNumbers.integers + ExtremeNumbers.integers
}

/// A controller with a view of each class that saves numbers.
private final class EverythingController: ViewController {
    private let rows = Rows()
    private let pages = Pages()

    private final class Pages: WebPageSource {
        func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
            WebPage(title: "page", text: "text\ntext\ntext")
        }
    }

    private final class Rows: ListViewDataSource {
        func numberOfSections(in listView: ListView) -> Int { 2 }
        func listView(_ listView: ListView, numberOfElementsInSection section: Int) -> Int { 30 }
        func listView(_ listView: ListView, elementAt indexPath: IndexPath) -> ListElement {
            ListElement(text: "row \(indexPath.row)")
        }
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        do {
            for view in try [lists(), scrollable(), texts(), controls()].joined() {
                view.restorationIdentifier = RestorationIdentifier(recorded: "\(type(of: view))")
                self.view.addSubview(view)
            }
        } catch {
            Issue.record(error)
        }
    }

    private func lists() -> [View] {
        [TableView(), CollectionView()].map { list in
            list.dataSource = rows
            list.selectElement(at: IndexPath(row: 3, section: 1))
            list.scrollToElement(at: IndexPath(row: 20, section: 0))
            return list
        }
    }

    private func scrollable() throws -> [View] {
        let scroll = ScrollView()
        scroll.contentSize = Size(width: 100, height: 100)
        scroll.contentOffset = Point(x: 3, y: 4)
        scroll.maximumZoomScale = 4
        let image = ImageView()
        image.image = try Image(data: Data("P5 2 1 255\nab".utf8))
        image.transform = AffineTransform(scale: 2)
        let web = WebView()
        web.pageSource = pages
        for address in ["page:1", "page:2"] { try web.load(address) }
        return [scroll, image, web]
    }

    private func texts() -> [View] {
        let field = TextField()
        field.text = "text"
        field.select(1..<3)
        let view = TextView()
        view.text = "line\nline\nline"
        view.select(2..<7)
        return [field, view]
    }

    private func controls() -> [View] {
        let segments = SegmentedControl()
        segments.segments = ["a", "b"]
        segments.selectedSegmentIndex = 1
        let slider = Slider()
        slider.value = 0.25
        let pages = PageControl()
        pages.numberOfPages = 3
        pages.currentPage = 1
        return [segments, slider, pages]
    }
}
