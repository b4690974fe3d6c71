import ControllerKit
import StateRestoration
import Testing

@Suite struct PageViewControllerTests {
    private func book(_ names: [RestorationIdentifier?]) -> PageViewController {
        let book = PageViewController.named("book")
        book.setPages(names.map { ViewController.named($0) })
        return book
    }

    /// A data source that creates pages "1", "2" and "3" on demand.
    private final class Source: PageViewControllerDataSource {
        func pageViewController(
            _ controller: PageViewController, viewControllerBefore page: ViewController
        ) -> ViewController? { make(page, -1) }

        func pageViewController(
            _ controller: PageViewController, viewControllerAfter page: ViewController
        ) -> ViewController? { make(page, 1) }

        private func make(_ page: ViewController, _ step: Int) -> ViewController? {
            let number = (Int(page.title) ?? 0) + step
            guard (1...3).contains(number) else { return nil }
            return ViewController.named(RestorationIdentifier(recorded: "\(number)"))
        }
    }

    @Test func `the user can turn pages from the first to the last`() throws {
        let book = book(["a", "b"])
        book.loadViewIfNeeded()
        #expect(book.currentPage?.title == "a")
        try book.goForward()
        #expect(book.currentPage?.title == "b")
        #expect(book.view.subviews.first === book.currentPage?.view)
        #expect(throws: OperationError.notPossible("its last page is already shown")) {
            try book.goForward()
        }
        try book.goBack()
        #expect(throws: OperationError.notPossible("its first page is already shown")) {
            try book.goBack()
        }
        try book.select([1])
        #expect(book.currentIndex == 1)
        #expect(throws: OperationError.noSuchElement(index: 2, count: 2)) { try book.select([2]) }
        #expect(throws: OperationError.notPossible("its first page is already shown")) {
            try PageViewController().goBack()
        }
    }

    @Test func `setting an index out of range shows the nearest page`() {
        let book = book(["a", "b"])
        book.currentIndex = 7
        #expect(book.currentIndex == 1)
        book.currentIndex = -1
        #expect(book.currentIndex == 0)
        #expect(book.currentPage?.title == "a")
        let empty = PageViewController()
        empty.currentIndex = -1
        #expect(empty.currentIndex == 0)
        #expect(empty.currentPage == nil)
    }

    @Test func `a page view controller without pages accepts any index`() {
        for index in [Int.min, -1, 0, Int.max] {
            let empty = PageViewController()
            empty.currentIndex = index
            #expect(throws: OperationError.notPossible("its last page is already shown")) {
                try empty.goForward()
            }
            #expect(throws: OperationError.notPossible("its first page is already shown")) {
                try empty.goBack()
            }
        }
    }

    @Test func `a data source creates the pages that the user turns to`() throws {
        let book = book(["1"])
        let source = Source()
        book.dataSource = source
        book.loadViewIfNeeded()
        let page = book.currentPage
        try book.goForward()
        #expect(book.pages.map(\.title) == ["2"])
        #expect(page?.parent == nil)
        #expect(book.view.subviews.count == 1)
        try book.goForward()
        #expect(throws: OperationError.notPossible("its last page is already shown")) {
            try book.goForward()
        }
        try book.goBack()
        #expect(book.currentPage?.title == "2")
    }

    @Test func `a row of dots or a page number shows the current page`() throws {
        let book = book(["a", "b", "c"])
        book.currentIndex = 1
        #expect(lines(of: book.view).last == "       ○ ● ○        ")
        let single = self.book(["a"])
        #expect(lines(of: single.view).isEmpty)
        withExtendedLifetime(single) {}  // Its view does not hold it.
        let thick = self.book(Array(repeating: nil, count: 30))
        #expect(lines(of: thick.view).last == "       1 / 30       ")
        #expect(lines(of: book.view, width: 5).last == "○ ● ○")
    }

    @Test func `a storyboard sets the pages and the current page`() throws {
        let book = PageViewController()
        try book.setProperty("currentIndex", to: .integer(1))
        book.setStoryboardChildren([ViewController.named("a"), ViewController.named("b")])
        #expect(book.currentPage?.title == "b")
        #expect(book.inspectedProperties["pageCount"] == .integer(2))
        #expect(book.inspectedProperties["currentIndex"] == .integer(1))
        #expect(throws: PropertyError.unknownProperty(known: ["currentIndex", "title"])) {
            try book.setProperty("pages", to: .integer(1))
        }
    }

    @Test func `P10: the current page is saved and shown again`() throws {
        let book = book(["a", nil, "c"])
        book.currentIndex = 2
        let application = try saved(book)
        #expect(
            try application.values(of: book)["currentPage"]
                == .reference(RestorationPath(["book", "c"])))
        let next = self.book(["a", nil, "c"])
        try restore(next, from: application)
        #expect(next.currentIndex == 2)
        book.currentIndex = 1
        #expect(application.scene?.needsPass == true)
        #expect(try application.values(of: book)["currentPage"] == nil)
        #expect(application.save()?.diagnostics == [])
    }

    @Test func `R9: recreated pages are linked at their saved positions`() throws {
        let book = book(["a", "b", "c"])
        book.currentIndex = 1
        let first = try saved(book)
        let next = self.book(["a", "c"])
        try restore(next, from: first, making: ["book/b"])
        #expect(next.pages.map(\.title) == ["a", "book/b", "c"])
        #expect(next.currentIndex == 1)
    }

    @Test func `R9: a page made on demand is recreated as the only page`() throws {
        let source = Source()
        let book = book(["1"])
        book.dataSource = source
        try book.goForward()
        let first = try saved(book)
        let next = self.book(["1"])
        next.dataSource = source
        try restore(next, from: first, making: ["book/2"])
        #expect(next.pages.map(\.title) == ["book/2"])
        #expect(next.pages.first?.restorationIdentifier == "2")
    }

    @Test func `R8: if the saved current page is dropped, the page from the launch is shown`()
        throws
    {
        let book = book(["a", "b"])
        book.currentIndex = 1
        let first = try saved(book)
        let next = self.book(["a"])
        #expect(try restore(next, from: first).unrestored.map(\.path) == ["book/b"])
        #expect(next.currentPage?.title == "a")
    }

    @Test func `R10: a page that is not shown loads its view before it decodes`() throws {
        let log = CallLog()
        func tree() -> PageViewController {
            let book = PageViewController.named("book")
            book.setPages([
                LoggingController.named("shown", log), LoggingController.named("hidden", log),
            ])
            return book
        }
        let first = try saved(tree())
        _ = log.take()
        try restore(tree(), from: first)
        #expect(
            log.take().filter { $0.hasPrefix("hidden") && !$0.contains("move") } == [
                "hidden did load", "hidden decode", "hidden finished",
            ])
    }
}
