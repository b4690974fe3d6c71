import StateRestoration
import Testing

@testable import ControllerKit

@Suite struct ScrollViewTests {
    /// Prepares a scroll view with 100 columns and 40 lines, of which 20 columns and 4 lines are
    /// visible.
    private static func prepare(_ view: ScrollView) {
        view.visibleSize = Size(width: 20, height: 4)
        view.contentSize = Size(width: 100, height: 40)
        view.minimumZoomScale = 0.5
        view.maximumZoomScale = 4
    }

    private func made() -> ScrollView {
        let view = ScrollView()
        Self.prepare(view)
        return view
    }

    @Test func `V1: offset, zoom scale and inset are preserved`() throws {
        let inset = EdgeInsets(top: 2, left: 1, bottom: 3, right: 4)
        let view: ScrollView = try relaunched(
            Self.prepare,
            change: {
                $0.contentInset = inset
                $0.zoomScale = 2.5
                $0.contentOffset = Point(x: 184, y: 99)
            })
        #expect(view.contentInset == inset)
        #expect(view.zoomScale == 2.5)
        #expect(view.contentOffset == Point(x: 184, y: 99))
    }

    @Test func `V1: an offset within the inset is preserved`() throws {
        let view: ScrollView = try relaunched(
            Self.prepare,
            change: {
                $0.contentInset = EdgeInsets(top: 2, left: 1, bottom: 0, right: 0)
                $0.contentOffset = Point(x: -9, y: -9)
            })
        #expect(view.contentOffset == Point(x: -1, y: -2))
    }

    @Test func `V1: if the content shrank between runs, its end is shown`() throws {
        let view: ScrollView = try relaunched(
            Self.prepare, change: { $0.contentOffset = Point(x: 80, y: 36) },
            reloaded: {
                Self.prepare($0)
                $0.contentSize = Size(width: 30, height: 10)
            })
        #expect(view.contentOffset == Point(x: 10, y: 6))
    }

    @Test
    func
        `V1: offset and zoom scale are restored for content and limits set when restoration finishes`()
        throws
    {
        let view: ScrollView = try relaunched(
            Self.prepare,
            change: {
                $0.zoomScale = 3
                $0.contentOffset = Point(x: 250, y: 110)
            },
            reloaded: { _ in },
            finished: {
                $0.contentSize = Size(width: 50, height: 20)
                Self.prepare($0)
            })
        #expect(view.zoomScale == 3)
        #expect(view.contentOffset == Point(x: 250, y: 110))
        view.contentSize.height = 4
        #expect(view.contentOffset == Point(x: 250, y: 8))
    }

    @Test func `V1: a zoom scale beyond new limits is clamped`() throws {
        let view: ScrollView = try relaunched(
            Self.prepare, change: { $0.zoomScale = 4 },
            reloaded: {
                Self.prepare($0)
                $0.maximumZoomScale = 2
            })
        #expect(view.zoomScale == 2)
    }

    private static let numbers = [
        .nan, .signalingNaN, .infinity, -.infinity, 0, -1, -1e308, 1e308, .leastNonzeroMagnitude,
        Double(Int.max), Double(Int.min), 7,
    ]

    @Test(arguments: numbers, numbers)
    func `V1: with any numbers in a forged record, the view stays within bounds and can be drawn`(
        first: Double, second: Double
    ) throws {
        let view = made()
        try restore(view) { coder in
            coder.encode(second, forKey: "zoomScale")
            coder.encode(Point(x: first, y: second), forKey: "contentOffset")
            coder.encode(
                EdgeInsets(top: second, left: first, bottom: first, right: second),
                forKey: "contentInset")
        }
        let bounds = view.offsetBounds
        #expect((0.5...4).contains(view.zoomScale))
        #expect((bounds.smallest.x...bounds.largest.x).contains(view.contentOffset.x))
        #expect((bounds.smallest.y...bounds.largest.y).contains(view.contentOffset.y))
        let drawn = lines(of: view, width: 30)
        #expect(drawn.count <= 5)
        view.minimumZoomScale = .leastNonzeroMagnitude
        view.maximumZoomScale = 1e308
        view.zoomScale = second
        view.visibleSize = Size(width: first, height: second)
        view.contentSize = Size(width: second, height: first)
        #expect(lines(of: view, width: 30).count <= 1001)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that is not finite changes nothing`(number: Double) throws {
        let view = made()
        view.contentOffset = Point(x: 1, y: 2)
        view.contentOffset = Point(x: number, y: 3)
        view.contentSize = Size(width: number, height: 1)
        view.visibleSize = Size(width: 1, height: number)
        view.contentInset = EdgeInsets(top: number, left: 0, bottom: 0, right: 0)
        view.contentInset = EdgeInsets(top: 0, left: number, bottom: 0, right: 0)
        view.contentInset = EdgeInsets(top: 0, left: 0, bottom: number, right: 0)
        view.contentInset = EdgeInsets(top: 0, left: 0, bottom: 0, right: number)
        view.zoomScale = number
        view.minimumZoomScale = number
        view.maximumZoomScale = number
        #expect(throws: OperationError.self) { try view.scroll(to: Point(x: 0, y: number)) }
        #expect(throws: OperationError.self) { try view.zoom(to: number) }
        #expect(view.contentOffset == Point(x: 1, y: 2))
        #expect(view.contentSize == Size(width: 100, height: 40))
        #expect(view.visibleSize == Size(width: 20, height: 4))
        #expect(view.contentInset == .zero)
        #expect([view.zoomScale, view.minimumZoomScale, view.maximumZoomScale] == [1, 0.5, 4])
    }

    @Test func `negative sizes and zoom limits that are not above 0 are ignored`() {
        let view = made()
        view.contentSize.width = -1
        view.visibleSize.height = -1
        view.minimumZoomScale = 0
        view.maximumZoomScale = -1
        #expect(view.contentSize == Size(width: 100, height: 40))
        #expect(view.visibleSize == Size(width: 20, height: 4))
        #expect([view.minimumZoomScale, view.maximumZoomScale] == [0.5, 4])
    }

    @Test func `the user can scroll only within the bounds`() throws {
        let view = made()
        try view.scroll(to: Point(x: 1000, y: 10))
        #expect(view.contentOffset == Point(x: 80, y: 10))
        try view.scroll(to: Point(x: -5, y: -5))
        #expect(view.contentOffset == .zero)
    }

    @Test func `zooming keeps the center and stays within the limits`() throws {
        let view = made()
        try view.scroll(to: Point(x: 40, y: 18))
        try view.zoom(to: 2)
        #expect(view.contentOffset == Point(x: 90, y: 38))
        try view.zoom(to: 100)
        #expect(view.zoomScale == 4)
        try view.zoom(to: 1)
        #expect(view.contentOffset == Point(x: 40, y: 18))
        view.maximumZoomScale = 0.1
        #expect(view.zoomScale == 0.5)
        let error = OperationError.notPossible("its zoom scale is fixed at 0.5")
        #expect(throws: error) { try view.zoom(to: 2) }
    }

    @Test func `scrolling to a new offset is saved in the next pass`() throws {
        let controller = SingleViewController<ScrollView>.named("page")
        controller.loaded = Self.prepare
        let application = TestApplication(controller)
        try application.launch()
        application.save()
        let scene = try #require(application.scene)
        #expect(!scene.needsPass)
        try controller.contentView.scroll(to: Point(x: 0, y: 0))
        #expect(!scene.needsPass)
        try controller.contentView.scroll(to: Point(x: 0, y: 1))
        #expect(scene.needsPass)
    }

    // MARK: Drawing

    /// A view that draws ten lines of wide and narrow characters.
    private final class Content: View {
        override func draw(on canvas: inout TextCanvas) {
            for index in 0..<10 { canvas.line("\(index)日本語abcdefghij") }
        }
    }

    private func drawn(_ change: (ScrollView) -> Void) -> [String] {
        let view = ScrollView()
        view.addSubview(Content())
        view.contentSize = Size(width: 17, height: 10)
        view.visibleSize = Size(width: 8, height: 3)
        view.maximumZoomScale = 4
        change(view)
        return lines(of: view, width: 60).map { line in
            let line = line.contains("·") ? String(line.drop { $0 == " " }) : line
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    @Test func `content is clipped to the visible part, and half of a wide character is blank`() {
        #expect(
            drawn { $0.contentOffset = Point(x: 2, y: 3) } == [
                " 本語abc", " 本語abc", " 本語abc", "· 4–6 of 10 · columns 3–10 of 17 ·",
            ])
        #expect(drawn { $0.visibleSize = Size(width: 6, height: 1) }[0] == "0日本")
        #expect(drawn { $0.visibleSize = Size(width: 17, height: 10) }.count == 10)
        #expect(
            drawn { $0.visibleSize = Size(width: 17, height: 1) }
                == ["0日本語abcdefghij", "· 1 of 10 ·"])
        #expect(
            drawn { $0.visibleSize = Size(width: 17, height: 0) }
                == ["0日本語abcdefghij", "· 1 of 10 ·"])
    }

    @Test func `the inset around the content is blank`() {
        let lines = drawn {
            $0.contentInset = EdgeInsets(top: 2, left: 3, bottom: 0, right: 0)
            $0.contentOffset = Point(x: -3, y: -2)
        }
        #expect(lines == ["", "", "   0日本", "· 1 of 10 · columns 1–5 of 17 ·"])
        let above = drawn {
            $0.contentInset = EdgeInsets(top: 9, left: 0, bottom: 0, right: 0)
            $0.contentOffset = Point(x: 0, y: -9)
        }
        #expect(above.prefix(3) == ["", "", ""])
        #expect(above.count == 4)
    }

    @Test func `the lines and columns in the position end with the content`() {
        let drawn = drawn {
            $0.contentInset = EdgeInsets(top: 0, left: 0, bottom: 2, right: 5)
            $0.contentOffset = Point(x: 14, y: 9)
        }
        #expect(drawn.last == "· 10 of 10 · columns 15–17 of 17 ·")
    }

    @Test func `enlarged content shows a smaller part and the zoom scale`() {
        #expect(
            drawn {
                $0.zoomScale = 2
                $0.contentOffset = Point(x: 2, y: 4)
            } == ["日本", "日本", "· 3–4 of 10 · columns 2–5 of 17 · ×2 ·"])
        let fraction = drawn { $0.zoomScale = 1.256 }
        #expect(fraction.last?.hasSuffix("×1.26 ·") == true)
    }

    @Test func `storyboard properties are set and can be inspected`() throws {
        let view = ScrollView()
        try view.setProperty("contentSize", to: .numbers([80, 40]))
        try view.setProperty("visibleSize", to: .numbers([20, 5]))
        try view.setProperty("minimumZoomScale", to: .integer(1))
        try view.setProperty("maximumZoomScale", to: .double(2.5))
        #expect(
            view.inspectedProperties == [
                "isHidden": .bool(false),
                "contentSize": .dictionary(["width": .double(80), "height": .double(40)]),
                "visibleSize": .dictionary(["width": .double(20), "height": .double(5)]),
                "minimumZoomScale": .double(1), "maximumZoomScale": .double(2.5),
            ])
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (1.5, "1.5"), (1.005, "1"), (1.006, "1.01"), (0.004, "0.004"),
            (-0.004, "-0.004"), (-2.25, "-2.25"), (1e20, "100000000000000000000.0"),
            (1e307, "1e+307"),
        ] as [(Double, String)])
    func `a scale is shown with two decimals, unless it is too small or too large`(
        number: Double, text: String
    ) {
        let shown = number.shortText
        #expect(shown == text || Double(shown) == Double(text))
        #expect(!shown.hasSuffix(".0") && !shown.contains("inf"))
    }

    @Test func `a position is shown only if part of the content is not visible`() {
        for (offset, height, position) in [
            (0.0, 0.0, nil), (2, 0, nil), (0, 3, nil), (0, 4, "1–3 of 4"), (1, 4, "2–4 of 4"),
            (3, 4, "2–4 of 4"), (9, 4, "2–4 of 4"), (-1, 3, nil),
        ] as [(Double, Double, String?)] {
            let view = ScrollView()
            view.visibleSize = Size(width: 30, height: 3)
            view.contentSize = Size(width: 10, height: height)
            view.contentOffset.y = offset
            var canvas = TextCanvas(width: 40)
            view.draw(on: &canvas)
            let line = canvas.lines.first { $0.contains("·") }?.trimmed
            #expect(line == position.map { "· \($0) ·" }, "\(offset) \(height)")
        }
    }

    @Test func `no position is shown if there is no content at the offset`() {
        let view = ScrollView()
        view.visibleSize = Size(width: 30, height: 3)
        view.contentInset.bottom = 9
        view.contentOffset.y = 2
        #expect(view.contentOffset.y == 2)
        #expect(!lines(of: view).contains { $0.contains("·") })
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
