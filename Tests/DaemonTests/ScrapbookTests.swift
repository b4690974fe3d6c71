import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Scrapbook, operated only with the command-line client.
struct ScrapbookTests {
    @Test func `A4: picture, web pages, notes and clipboard are restored after a kill`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("Scrapbook")
            func visibleState() async throws -> [String] {
                try await application.values(
                    "tabs/picture/imageView", "transform", "center", "bounds")
                    + application.values(
                        "tabs/web/webView", "history", "historyIndex", "contentOffset")
                    + application.values("tabs/notes/textView", "text", "selectedRange")
                    + application.values("tabs/notes", "image")
                    + application.values("clipboard", "text")
                    + [application("show")]
            }
            let before = try await host.run(endingBy: .kill) { _ in
                try await application("zoom", "tabs/picture/imageView", "2")
                try await application("scroll", "tabs/picture/imageView", "5", "3")
                try await application("load", "tabs/web/webView", "scrapbook:paper")
                try await application("scroll", "tabs/web/webView", "0", "7")
                try await application("load", "tabs/web/webView", "scrapbook:hills")
                try await application("back", "tabs/web/webView")
                try await application("type", "tabs/notes/textView", "kept nowhere else")
                try await application("tap", "tabs/notes/@copyButton")
                try await application("tap", "tabs/notes/@pictureButton")
                try await application("select", "tabs", "2")
                return try await visibleState()
            }.value
            try await host.run { _ in
                try #require(try await visibleState() == before)
                let picture = try await application.values("tabs/picture/imageView", "zoomScale")
                try #require(picture == ["2"])
                let web = try await application.values(
                    "tabs/web/webView", "url", "historyIndex", "contentOffset", "canGoForward")
                try #require(web == ["scrapbook:paper", "1", "{x: 0, y: 7}", "true"])
                let copied = try await application("get", "clipboard", "text")
                try #require(copied == "kept nowhere else")
                let image = try await application("get", "tabs/notes", "image")
                try #require(image.count > 100)
                try await application("tap", "tabs/web/@forwardButton")
                let url = try await application("get", "tabs/web/webView", "url")
                try #require(url == "scrapbook:hills")
            }
        }
    }

    @Test func `P2: application-level values are restored`() async throws {
        try await Host.with { host in
            let application = host.application("Scrapbook")
            for expected in ["Scrapbook, opened once", "Scrapbook, opened 2 times"] {
                try await host.run(endingBy: .kill) { _ in
                    let title = try await application("get", "tabs", "title")
                    try #require(title == expected)
                }
            }
        }
    }
}
