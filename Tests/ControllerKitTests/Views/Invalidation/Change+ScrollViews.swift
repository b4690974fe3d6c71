import ControllerKit
import FoundationEssentials
import StateRestoration

extension Change {
    private static func scrollView(
        _ name: String, at offset: Point = .zero, zoomed scale: Double = 1,
        _ change: @escaping @Sendable (ScrollView) throws -> Void
    ) -> Change {
        view(
            name, shown: { "\($0.contentOffset) \($0.zoomScale) \($0.contentInset)" },
            {
                $0.contentSize = Size(width: 100, height: 100)
                $0.visibleSize = Size(width: 10, height: 10)
                $0.maximumZoomScale = 4
                $0.zoomScale = scale
                $0.contentOffset = offset
            }, change: change)
    }

    /// Changes to the visible part of a scroll view.
    static let scrollViews: [Change] = [
        scrollView("contentOffset") { $0.contentOffset.x = 5 },
        scrollView("zoomScale") { $0.zoomScale = 2 },
        scrollView("contentInset") { $0.contentInset.right = 3 },
        scrollView("minimumZoomScale") { $0.minimumZoomScale = 2 },
        scrollView("maximumZoomScale", zoomed: 3) { $0.maximumZoomScale = 2 },
        scrollView("contentSize", at: Point(x: 90, y: 0)) { $0.contentSize.width = 50 },
        scrollView("visibleSize", at: Point(x: 0, y: 90)) { $0.visibleSize.height = 20 },
        scrollView("scroll(to:)") { try $0.scroll(to: Point(x: 1, y: 1)) },
        scrollView("zoom(to:)") { try $0.zoom(to: 3) },
    ]

    private static func picture(
        _ name: String, _ change: @escaping @Sendable (ImageView) throws -> Void
    ) -> Change {
        view(
            name,
            shown: { "\($0.bounds) \($0.center) \($0.transform) \($0.image?.data ?? Data())" },
            { $0.image = try image(8, 8, of: 0) }, change: change)
    }

    private static func image(_ width: Int, _ height: Int, of pixel: UInt8) throws -> Image {
        let pixels = Data(repeating: pixel, count: width * height)
        return try Image(data: Data("P5 \(width) \(height) 255\n".utf8) + pixels)
    }

    /// Changes to a picture and its visible part.
    static let pictures: [Change] = [
        view(
            "image of the same size",
            shown: { (view: ImageView) in "\(view.image?.brightness(x: 0, y: 0) ?? 1)" }
        ) {
            $0.image = try image(8, 8, of: 0)
        } change: {
            $0.image = try image(8, 8, of: 200)
        },
        picture("image") { $0.image = try image(9, 3, of: 0) },
        picture("visibleSize") { $0.visibleSize.width += 2 },
        picture("bounds") { $0.bounds.origin.x = 1 },
        picture("center") { $0.center.y = 1 },
        picture("transform") { $0.transform = AffineTransform(scale: 2) },
        picture("zoom(to:)") { try $0.zoom(to: 2) },
        Change.view(
            "scroll(to:)", shown: { (view: ImageView) in "\(view.center)" },
            { $0.image = try image(100, 100, of: 0) }
        ) { try $0.scroll(to: .zero) },
    ]

    /// A page source whose page titles begin with its name.
    private final class Pages: WebPageSource {
        let name: String

        init(_ name: String) { self.name = name }

        func webView(_ webView: WebView, pageAt url: URL) -> WebPage? {
            WebPage(
                title: "\(name) \(url.absoluteString)",
                text: (0..<50).map { "\($0)" }.joined(separator: "\n"))
        }
    }

    private static func page(
        _ name: String, _ change: @escaping @Sendable (WebView) throws -> Void
    ) -> Change {
        Change.view(
            name,
            shown: { "\($0.history) \($0.title ?? "") \($0.contentOffset) \($0.zoomScale)" },
            {
                // This page source is deallocated after the pages have been loaded.
                let pages = Pages("first")
                $0.pageSource = pages
                for address in ["page:1", "page:2", "page:3"] { try $0.load(address) }
                try $0.goBack()
                withExtendedLifetime(pages) {}
            }, change: change)
    }

    /// Changes to the history of a web view and the visible part of its pages.
    static let pages: [Change] = [
        page("load(_:)") { try $0.load("page:4") },
        page("goBack()") { try $0.goBack() },
        page("goForward()") { try $0.goForward() },
        page("pageSource") { view in
            let pages = Pages("second")
            view.pageSource = pages
            withExtendedLifetime(pages) {}
        },
        page("contentOffset") { $0.contentOffset.y = 3 },
        page("zoomScale") { $0.zoomScale = 2 },
        page("scroll(to:)") { try $0.scroll(to: Point(x: 0, y: 4)) },
        page("zoom(to:)") { try $0.zoom(to: 3) },
    ]
}
