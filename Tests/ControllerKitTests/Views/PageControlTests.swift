import ControllerKit
import StateRestoration
import Testing

@Suite struct PageControlTests {
    private func made(_ pages: Int, _ current: Int) -> PageControl {
        let control = PageControl()
        control.numberOfPages = pages
        control.currentPage = current
        return control
    }

    @Test func `the current page stays within the number of pages`() {
        #expect(made(3, 7).currentPage == 2)
        #expect(made(3, -1).currentPage == 0)
        #expect(made(-3, 2).numberOfPages == 0)
        #expect(made(0, 2).currentPage == 0)
        let control = made(5, 4)
        control.numberOfPages = 2
        #expect(control.currentPage == 1)
        control.numberOfPages = 5
        #expect(control.currentPage == 1)
    }

    @Test func `the user can choose one existing page of an enabled control`() throws {
        let control = made(3, 0)
        var runs = 0
        control.addAction(for: .valueChanged) { runs += 1 }
        control.currentPage = 1
        #expect(runs == 0)
        try control.select([2])
        #expect(control.currentPage == 2)
        #expect(runs == 1)
        for index in [-1, 3, Int.max, Int.min] {
            #expect(throws: OperationError.noSuchElement(index: index, count: 3)) {
                try control.select([index])
            }
        }
        #expect(throws: OperationError.tooManyElements(given: 2, maximum: 1)) {
            try control.select([0, 1])
        }
        #expect(throws: OperationError.self) { try control.select([]) }
        control.isEnabled = false
        #expect(throws: OperationError.notPossible("it is disabled")) { try control.select([0]) }
        #expect(control.currentPage == 2)
        #expect(runs == 1)
    }

    @Test(arguments: [0, 1, 4])
    func `V7: the current page is preserved`(page: Int) throws {
        let control: PageControl = try relaunched(
            { $0.numberOfPages = 5 }, change: { $0.currentPage = page })
        #expect(control.currentPage == page)
    }

    @Test func `V7: with fewer pages, the last page is shown`() throws {
        let control: PageControl = try relaunched(
            { $0.numberOfPages = 5 }, change: { $0.currentPage = 4 },
            reloaded: { $0.numberOfPages = 2 })
        #expect(control.currentPage == 1)
    }

    @Test func `V7: the current page is restored even if pages are set when restoration finishes`()
        throws
    {
        let control: PageControl = try relaunched(
            { $0.numberOfPages = 5 }, change: { $0.currentPage = 4 }, reloaded: { _ in },
            finished: {
                $0.numberOfPages = 3
                $0.numberOfPages = 5
            })
        #expect(control.currentPage == 4)
    }

    @Test(arguments: [-1, 3, Int.max, Int.min])
    func `V7: a forged current page is clamped to the existing pages`(page: Int) throws {
        let control = made(3, 1)
        try restore(control) { $0.encode(page, forKey: "currentPage") }
        #expect(control.currentPage == (page > 0 ? 2 : 0))
    }

    @Test func `a page control draws a dot for each page, or the page number if dots do not fit`() {
        #expect(lines(of: made(3, 1), width: 7) == [" ○ ● ○ "])
        #expect(lines(of: made(4, 0), width: 7) == ["● ○ ○ ○"])
        #expect(lines(of: made(5, 2), width: 7) == ["3 of 5 "])
        #expect(lines(of: made(Int.max, 2), width: 9) == ["3 of 922…"])
        #expect(lines(of: made(0, 0), width: 7) == ["       "])
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let control = PageControl()
        try control.setProperty("numberOfPages", to: .integer(3))
        try control.setProperty("currentPage", to: .integer(2))
        #expect(
            control.inspectedProperties == [
                "numberOfPages": .integer(3), "currentPage": .integer(2),
                "isEnabled": .bool(true), "isHidden": .bool(false),
            ])
        #expect(throws: PropertyError.invalidValue("a whole number from 0 to 2 is required")) {
            try control.setProperty("currentPage", to: .integer(3))
        }
    }
}
