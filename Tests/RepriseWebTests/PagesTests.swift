import RepriseControl
import Testing
import Varlink

@testable import RepriseWeb

@Suite struct HistoryPageTests {
    private static let hostile = "<img src=x onerror=alert(1)>"
    private var page = HistoryPage(scene: SceneAddress(application: "org.example", scene: "main"))

    /// Adds generations, newest first, and selects one.
    private mutating func addGenerations(_ count: Int, selected: Int) {
        page.generations = (0..<count).map { index in
            .with { ($0.name, $0.reason, $0.time) = ("g\(count - index)", Self.hostile, "2026") }
        }
        page.selectedIndex = selected
    }

    @Test func `an empty history is explained`() {
        #expect(page.html.text.contains("The history is empty."))
        #expect(!page.html.text.contains("<form"))
    }

    @Test mutating func `text of the daemon cannot become a tag`() {
        addGenerations(1, selected: 0)
        page.snapshotLines = [Self.hostile]
        page.presentLines = [Self.hostile, "x"]
        page.problems = [Self.hostile]
        page.differences = [
            .with {
                ($0.path, $0.kind, $0.key, $0.to) = (
                    Self.hostile, .added, Self.hostile, .string(Self.hostile)
                )
            },
            .with { ($0.path, $0.kind) = (Self.hostile, .appeared) },
        ]
        #expect(!page.html.text.contains("<img"))
        #expect(page.html.text.contains("&lt;img"))
    }

    @Test mutating func `a slider selects one of at least two generations`() {
        addGenerations(1, selected: 0)
        #expect(!page.html.text.contains("type=\"range\""))
        addGenerations(3, selected: 0)
        for (position, name) in [
            ("1", "g1"), ("2", "g2"), ("3", "g3"), ("-9", "g1"), ("9", "g3"), ("x", "g3"),
            ("", "g3"),
        ] {
            page.selectedIndex = 0
            page.select(position: position)
            #expect(page.selected?.name == name, "\(position)")
        }
        page.select(position: "1")
        #expect(page.html.text.contains(#"min="1" max="3" value="1""#))
        page.scene = SceneAddress(application: Self.hostile, scene: "\"main\"")
        #expect(page.html.text.contains(#"name="scene" value="&quot;main&quot;""#))
        #expect(!page.html.text.contains("<img"))
    }

    @Test mutating func `an empty history has no slider`() {
        page.select(position: "1")
        #expect(page.selected == nil)
    }

    @Test mutating func `only a user is offered a rollback, and sees differences`() {
        let sentence = "Only users see the differences from the present state."
        addGenerations(1, selected: 0)
        #expect(page.html.text.contains(#"<form method="post" action="/rollback?"#))
        #expect(!page.html.text.contains(sentence))
        page.isForObserver = true
        #expect(!page.html.text.contains("<form"))
        #expect(page.html.text.contains(sentence))
    }

    @Test mutating func `lines that have changed are marked`() {
        addGenerations(1, selected: 0)
        page.snapshotLines = ["same", "e\u{301}"]
        page.presentLines = ["same", "\u{E9}"]
        #expect(page.html.text.contains("\nsame\n<mark>e\u{301}</mark>\n</pre>"))
        #expect(page.html.text.contains("Marked lines look different now."))
        page.presentLines = []
        #expect(!page.html.text.contains("<mark>"))
        page.presentLines = page.snapshotLines
        #expect(page.html.text.contains("The scene looks the same now."))
    }

    @Test mutating func `a snapshot that was cut off is not said to look the same`() {
        addGenerations(1, selected: 0)
        page.snapshotLines = Array(repeating: "a", count: HistoryPage.maximumLines)
        page.presentLines = page.snapshotLines
        #expect(!page.html.text.contains("The scene looks the same now."))
        #expect(page.html.text.contains("Only the beginning is shown."))
    }

    @Test(arguments: [(0, []), (1, []), (0, ["Object a of scene main cannot be read."])])
    mutating func `the state is the same only if everything was compared`(
        _ unlisted: Int, _ problems: [String]
    ) {
        addGenerations(1, selected: 0)
        page.addDifferences(
            .with {
                ($0.unlisted, $0.problems) = (unlisted, problems)
                $0.differences = [.with { ($0.scene, $0.kind) = ("other", .appeared) }]
            })
        let isComplete = unlisted == 0 && problems.isEmpty
        let text = page.html.text
        #expect(text.contains("The saved state of the scene is the same.") == isComplete)
        #expect(text.contains("The differences are not known.") == !isComplete)
        #expect(text.contains("Not all differences are listed") == (unlisted > 0))
    }

    @Test mutating func `differences show the values then and now`() {
        addGenerations(1, selected: 0)
        #expect(page.html.text.contains("The differences are not known."))
        page.differences = []
        #expect(page.html.text.contains("The saved state of the scene is the same."))
        page.differences = [
            .with { ($0.path, $0.kind, $0.key, $0.from) = ("a", .changed, "text", .string("x")) },
            .with {
                ($0.path, $0.kind, $0.key, $0.to) = (
                    "a", .added, "n", .object(["bytes": .integer(20_000)])
                )
            },
            .with { ($0.path, $0.kind) = ("b", .disappeared) },
        ]
        let text = page.html.text
        #expect(text.contains("<code>a</code> text: then <del>x</del> now <ins>null</ins>"))
        #expect(text.contains("<code>a</code> n: now <ins>{bytes: 20000}</ins>"))
        #expect(text.contains("<code>b</code> existed only <del>then</del>"))
    }

    @Test(arguments: [0, 7, 999])
    mutating func `a long history is listed around the selected generation`(_ selected: Int) {
        addGenerations(1000, selected: selected)
        let text = page.html.text
        let links = text.ranges(of: "generation=g").count
        #expect(links <= HistoryPage.maximumGenerations + 3)
        #expect(text.contains(#"aria-current="true">g\#(1000 - selected)</a>"#))
        #expect(text.contains(">Newer<") == (selected > 0))
        #expect(text.contains(">Older<") == (selected < 999))
    }

    @Test mutating func `a page has a maximum size`() {
        addGenerations(1, selected: 0)
        page.differences = (0..<10_000).map { index in
            .with { ($0.path, $0.kind, $0.key) = ("\(index)", .changed, "k") }
        }
        page.problems = Array(repeating: String(repeating: "x", count: 100_000), count: 1000)
        #expect(page.html.text.utf8.count < 100_000)
    }

    @Test mutating func `the confirmation names the generation`() {
        addGenerations(2, selected: 1)
        let text = page.confirmation.text
        #expect(text.contains("generation g1"))
        #expect(text.contains(#"<button name="confirmed" value="yes">"#))
        #expect(
            text.contains(
                #"action="/rollback?application=org.example&amp;scene=main&amp;generation=g1""#))
    }
}

@Suite struct InspectorPageTests {
    private static let hostile = "\"><img src=x>"
    private var page = InspectorPage(scene: SceneAddress(application: "org.example", scene: "main"))

    private mutating func addObjects(_ paths: [String]) {
        page.objects = paths.map { path in
            .with { ($0.path, $0.class, $0.preserved) = (path, "View", true) }
        }
    }

    @Test mutating func `text of the daemon cannot become a tag`() {
        addObjects([Self.hostile])
        page.objects[0].class = Self.hostile
        page.objects[0].preserved = false
        page.objects[0].reason = Self.hostile
        page.selectedPath = Self.hostile
        page.story = [Self.hostile]
        page.values = [Self.hostile: .string(Self.hostile)]
        page.report.unrestored = [
            .with { ($0.path, $0.detail, $0.remedy) = (Self.hostile, Self.hostile, Self.hostile) }
        ]
        page.report.launchReason = Self.hostile
        #expect(!page.html.text.contains("<img"))
        #expect(!page.html.text.contains("\"\">"))
    }

    @Test mutating func `objects are nested lists`() {
        addObjects(["a", "a/b", "a/b/c", "a/d", "e"])
        let text = page.html.text.filter { $0 != "\n" }
        let tags = text.matches(of: /<\/?(ul|li)>/).map { String($0.output.0) }.joined()
        #expect(
            tags
                == "<ul><li><ul><li><ul><li></li></ul></li><li></li></ul></li><li></li></ul>")
    }

    @Test mutating func `a scene without objects is listed`() {
        #expect(page.html.text.contains("Objects 0 to 0 of 0."))
        #expect(!page.html.text.contains("<ul"))
    }

    @Test mutating func `a large scene is listed in parts`() {
        addObjects(["a"] + (0..<100_000).map { "a/\($0)" })
        page.firstIndex = 50_000
        #expect(page.listedIndexes == [0] + Array(50_000..<50_100))
        let text = page.html.text
        #expect(text.contains("Objects 50001 to 50100 of 100001."))
        #expect(text.contains("first=49900") && text.contains("first=50100"))
        #expect(text.utf8.count < 100_000)
        page.firstIndex = 0
        #expect(!page.html.text.contains("Earlier objects"))
        page.firstIndex = 100_000
        #expect(!page.html.text.contains("Later objects"))
    }

    @Test mutating func `the ancestors of the first object are listed`() {
        let siblings = (0..<150).map { "a/x\($0)" }
        addObjects(["z", "a"] + siblings + ["a/b", "a/b/c", "a/b/c/d"])
        page.firstIndex = 154
        #expect(page.listedIndexes == [1, 152, 153, 154])
    }

    @Test mutating func `a deep scene is not nested deeper than the maximum`() {
        addObjects((1...50).map { Array(repeating: "a", count: $0).joined(separator: "/") })
        let text = page.html.text
        #expect(text.ranges(of: "<ul>").count == InspectorPage.maximumDepth + 1)
        #expect(text.ranges(of: "</ul>").count == InspectorPage.maximumDepth + 1)
        #expect(text.ranges(of: "<li>").count == 50 && text.ranges(of: "</li>").count == 50)
    }

    @Test mutating func `the selected object is explained`() {
        addObjects(["a"])
        page.selectedPath = "a"
        page.story = ["It is preserved."]
        page.values = ["text": .string("hello"), "n": .integer(1)]
        let text = page.html.text
        #expect(text.contains("<p>It is preserved.</p>"))
        #expect(text.contains("<dt>n</dt><dd>1</dd>\n<dt>text</dt><dd>hello</dd>"))
        #expect(text.contains(#"aria-current="true">a</a>"#))
    }

    @Test mutating func `many and large values are shown in part`() {
        page.selectedPath = "a"
        for index in 0..<500 {
            page.values["\(index)"] = .string(String(repeating: "x", count: 5000))
        }
        #expect(page.html.text.contains("Only 100 of 500 values are listed"))
        #expect(page.html.text.utf8.count < 150_000)
    }
}

@Suite struct PageFailureTests {
    @Test func `a failure is a page with a sentence`() {
        let failure = PageFailure(.refused(.noSuchApplication(application: "<b>")))
        #expect(failure.status == 409)
        #expect(failure.page.text.contains("has no application &lt;b&gt;"))
        #expect(PageFailure(.refused(.daemonEnding)).status == 503)
    }

    @Test func `a daemon that does not run makes a page unavailable`() async {
        await #expect(throws: PageFailure.self) {
            try await PageRequest(query: "", sockets: DaemonSockets(["/nonexistent/control"]))
        }
    }
}
