import ExactText
import RepriseControl

/// Page that lists the objects of a scene, and explains why the selected object is or is not preserved.
struct InspectorPage: Sendable {
    /// Maximum number of objects on a page, not counting the ancestors of the first object.
    static let maximumObjects = 100
    /// Maximum number of values, and of objects that were not restored.
    static let maximumValues = 100
    /// Maximum depth of the list. Deeper objects are listed at this depth.
    static let maximumDepth = 8

    /// Scene to which the page refers.
    var scene: SceneAddress
    /// Objects of the scene, parents first.
    var objects: [TreeObject] = []
    /// Index of the first listed object.
    var firstIndex = 0
    /// Path of the selected object, or `nil` if no object is selected.
    var selectedPath: String?
    /// Report of the scene's last launch.
    var report = ReportCall.Reply()
    /// Sentences about the selected object, for example how the last launch found it, and why it is not preserved.
    var story: [String] = []
    /// State and properties of the selected object.
    var values: [String: StateJSON] = [:]

    /// Creates a page without objects.
    init(scene: SceneAddress) { self.scene = scene }

    /// Loads the objects of a running scene, and explains the object that the request names.
    init(_ request: PageRequest) async throws(PageFailure) {
        self.init(scene: request.scene)
        let (application, name) = (scene.application, scene.scene)
        objects = try await request.call(TreeCall(application: application, scene: name)).objects
        report = try await request.call(ReportCall(application: application, scene: name))
        selectedPath = request.parameters["path"]
        let index = request.parameters["first"].flatMap { Int($0) } ?? selectedIndex ?? 0
        firstIndex =
            max(0, min(index, objects.count - 1)) / Self.maximumObjects * Self.maximumObjects
        guard let path = selectedPath else { return }
        do {
            let explanation = try await request.call(
                ExplainCall(application: application, scene: name, path: path))
            story = explanation.story
            guard explanation.live else { return }
            let call = GetCall(application: application, scene: name, path: path)
            values = try await request.call(call).values ?? [:]
        } catch {
            // The object may have disappeared since the daemon returned the tree.
            story.append(error.message)
        }
    }

    private var selectedIndex: Int? {
        selectedPath.flatMap { path in objects.firstIndex { $0.path == path } }
    }

    /// Returns the number of objects above an object.
    static func depth(_ object: TreeObject) -> Int {
        object.path.utf8.count { $0 == UInt8(ascii: "/") }
    }

    /// Indexes of the listed objects, preceded by the ancestors of the first one.
    var listedIndexes: [Int] {
        let window = objects.indices.dropFirst(firstIndex).prefix(Self.maximumObjects)
        guard let first = window.first else { return [] }
        var ancestors: [Int] = []
        var depth = Self.depth(objects[first])
        for index in objects[..<first].indices.reversed() where depth > 0 {
            let candidate = Self.depth(objects[index])
            if candidate < depth { ancestors.insert(index, at: 0) }
            depth = min(depth, candidate)
        }
        return ancestors.suffix(Self.maximumObjects) + window
    }

    // MARK: HTML

    /// The complete page.
    var html: HTML {
        let last = min(objects.count, firstIndex + Self.maximumObjects)
        let range =
            "Objects \(objects.isEmpty ? 0 : firstIndex + 1) to \(last) of \(objects.count)."
        return .page(
            "Inspector", of: scene, at: "/inspector",
            """
            \(details)<section aria-labelledby="objects">
            <h2 id="objects">Objects</h2>
            <p>\(summary) \(range)</p>
            \(pageLinks)<div class="tree">
            \(tree)</div>
            </section>
            \(unrestored)
            """)
    }

    private var summary: String {
        "At the last launch (\(report.launchReason)), \(report.restored) of \(report.recorded) objects were restored."
    }

    private var pageLinks: HTML {
        let parts = [
            ("Earlier", firstIndex - Self.maximumObjects),
            ("Later", firstIndex + Self.maximumObjects),
        ]
        let links = parts.filter { objects.indices.contains($0.1) }.map {
            "<a href=\"\(scene.url("/inspector", ("first", "\($0.1)")))\">\($0.0) objects</a>\n"
                as HTML
        }
        return links.isEmpty ? "" : "<nav aria-label=\"Objects\">\(links)</nav>\n"
    }

    /// Nested lists of the objects.
    private var tree: HTML {
        var html: HTML = ""
        var depth = -1
        for index in listedIndexes {
            let object = objects[index]
            let next = min(Self.depth(object), depth + 1, Self.maximumDepth)
            if next > depth {
                html += "<ul>\n"
            } else {
                html += "\(repeatElement("</li></ul>\n" as HTML, count: depth - next))</li>\n"
            }
            html += "<li>\(item(object))"
            depth = next
        }
        html += "\(repeatElement("</li></ul>\n" as HTML, count: depth + 1))"
        return html
    }

    private func item(_ object: TreeObject) -> HTML {
        let isSelected = selectedPath == object.path
        let mark: HTML = isSelected ? " aria-current=\"true\"" : ""
        let name = object.path.split(separator: "/").last.map(String.init) ?? object.path
        let state =
            object.preserved
            ? "preserved" : "not preserved" + (object.reason.map { ": \($0)" } ?? "")
        return """
            <a href="\(scene.url("/inspector", ("path", object.path)))"\(mark)>\(name.truncated())</a>
            <span>\(object.class.truncated()) · \(state.truncated())</span>

            """
    }

    /// Section about the selected object.
    private var details: HTML {
        guard let selectedPath else { return "" }
        return """
            <section aria-labelledby="selected">
            <h2 id="selected">\(selectedPath.truncated())</h2>
            \(story.map { "<p>\($0.truncated())</p>\n" as HTML })\(valueList)
            </section>

            """
    }

    private var valueList: HTML {
        if values.isEmpty { return "" }
        let sorted = values.map { (key: ExactString($0.key), value: $0.value) }
            .sorted { $0.key < $1.key }.prefix(Self.maximumValues)
        let note =
            values.count > sorted.count
            ? "<p>Only \(sorted.count) of \(values.count) values are listed: `reprisectl get` prints all.</p>"
            : "" as HTML
        return """
            <h3>State and properties</h3>
            <dl>
            \(sorted.map { HTML.fact($0.key.text.truncated(), $0.value.singleLineText.truncated()) })</dl>
            \(note)
            """
    }

    /// Section about the recorded objects that the last launch did not restore.
    private var unrestored: HTML {
        if report.unrestored.isEmpty { return "" }
        let items = report.unrestored.prefix(Self.maximumValues).map { object -> HTML in
            """
            <li><a href="\(scene.url("/inspector", ("path", object.path)))">\(object.path.truncated())</a>
            <span>\(object.detail.truncated()) \((object.remedy ?? "").truncated())</span></li>

            """
        }
        return """
            <section aria-labelledby="unrestored">
            <h2 id="unrestored">Objects that were not restored</h2>
            <ul class="entries">
            \(items)</ul>
            </section>
            """
    }
}
