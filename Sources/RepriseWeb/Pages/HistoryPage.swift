import ExactText
import RepriseControl
import Varlink

/// Page that lists the generations of an application, and compares one generation with the present state of a scene.
struct HistoryPage: Sendable {
    /// Maximum number of generations that are listed around the selected one.
    static let maximumGenerations = 30
    /// Maximum number of lines of a snapshot.
    static let maximumLines = 400
    /// Maximum number of differences.
    static let maximumDifferences = 200
    /// Maximum number of sentences about missing parts.
    static let maximumProblems = 20

    /// Scene to which the page refers.
    var scene: SceneAddress
    /// Generations of the application, newest first.
    var generations: [GenerationDescription] = []
    /// Index of the selected generation, or `nil` if there are no generations.
    var selectedIndex: Int?
    /// Lines of the selected generation's snapshot.
    var snapshotLines: [String] = []
    /// Lines of the scene's present rendering, or an empty array if it is not known.
    var presentLines: [String] = []
    /// Differences between the selected generation and the present state of the scene, or `nil` if they are not known.
    var differences: [DifferenceDescription]?
    /// Sentences about the parts of the page that are missing.
    var problems: [String] = []
    /// Whether the page is for an observer. Such a page offers no rollback. It lists no differences, because the daemon
    /// would have to save or load state to find them.
    var isForObserver = false

    /// Creates a page without generations.
    init(scene: SceneAddress) { self.scene = scene }

    /// Loads the generations, and selects the one that the request names, or the newest one.
    init(_ request: PageRequest) async throws(PageFailure) {
        self.init(scene: request.scene)
        let reply = try await request.call(HistoryCall(application: scene.application))
        generations = reply.generations.reversed()
        if reply.omitted > 0, let oldest = generations.last?.name {
            problems.append(
                "\(reply.omitted) older generations are not listed: "
                    + "`reprisectl history --before \(oldest)` lists them.")
        }
        let name = request.parameters["generation"]
        selectedIndex = generations.indices.first { name == nil || generations[$0].name == name }
        if name == nil { select(position: request.parameters["position"]) }
        if let name, selectedIndex == nil {
            throw PageFailure(
                .refused(
                    .noSuchGeneration(
                        application: scene.application, generation: name,
                        generations: generations.prefix(Self.maximumGenerations).map(\.name))))
        }
    }

    /// Selects the generation at a position of the slider: 1 is the oldest generation.
    mutating func select(position: String?) {
        guard let position = position.flatMap({ Int($0) }), !generations.isEmpty else { return }
        selectedIndex = generations.count - min(max(position, 1), generations.count)
    }

    /// The selected generation, or `nil` if there are no generations.
    var selected: GenerationDescription? { selectedIndex.map { generations[$0] } }

    /// Loads the selected generation's snapshot and its differences from the present state.
    mutating func loadComparison(_ request: PageRequest) async {
        guard let name = selected?.name else { return }
        var show = ShowCall(application: scene.application, scene: scene.scene, generation: name)
        do {
            snapshotLines = Self.lines(try await request.call(show).text)
        } catch {
            problems.append(error.message)
        }
        if request.isRunning || !isForObserver {
            (show.generation, show.saved) = (nil, request.isRunning ? nil : true)
            // Without the present rendering, the snapshot is shown without marks.
            presentLines = (try? await request.call(show)).map { Self.lines($0.text) } ?? []
        }
        if isForObserver { return }
        do {
            addDifferences(
                try await request.call(DiffCall(application: scene.application, from: name)))
        } catch {
            problems.append(error.message)
        }
    }

    /// Adds the scene's part of a comparison between the selected generation and the present state.
    mutating func addDifferences(_ reply: DiffCall.Reply) {
        let differences = reply.differences.filter { $0.scene == scene.scene }
        problems += reply.problems
        if reply.unlisted > 0 || differences.count > Self.maximumDifferences {
            problems.append(
                "Not all differences are listed: `reprisectl diff \(reply.from)` lists more.")
        }
        // The scene can have differences that are not part of the reply.
        let isComplete = reply.unlisted == 0 && reply.problems.isEmpty
        self.differences = differences.isEmpty && !isComplete ? nil : differences
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", maxSplits: maximumLines).prefix(maximumLines).map {
            String($0).truncated()
        }
    }

    // MARK: HTML

    /// The complete page.
    var html: HTML {
        let list =
            generations.isEmpty
            ? "<p>The history is empty. The daemon adds a generation at an orderly stop, and at regular intervals.</p>"
            : generationList
        return .page(
            "History", of: scene, at: "/history",
            """
            <section aria-labelledby="generations">
            <h2 id="generations">Generations</h2>
            \(slider)\(list)
            </section>
            \(comparison)
            """)
    }

    private func url(_ generation: GenerationDescription) -> String {
        scene.url("/history", ("generation", generation.name))
    }

    /// Form with a slider that selects a generation.
    private var slider: HTML {
        guard generations.count > 1, let selectedIndex else { return "" }
        return """
            <form action="/history">
            <input type="hidden" name="application" value="\(scene.application)">
            <input type="hidden" name="scene" value="\(scene.scene)">
            <label for="position">Oldest to newest</label>
            <input type="range" id="position" name="position" min="1" max="\(generations.count)" \
            value="\(generations.count - selectedIndex)">
            <button>Show</button>
            </form>

            """
    }

    private var generationList: HTML {
        let first = max(0, (selectedIndex ?? 0) - Self.maximumGenerations / 2)
        let shown = generations.indices.dropFirst(first).prefix(Self.maximumGenerations)
        let items = shown.map { index -> HTML in
            let generation = generations[index]
            let mark: HTML = index == selectedIndex ? " aria-current=\"true\"" : ""
            let details = [
                generation.time, generation.problem ?? generation.reason ?? "",
                generation.objects == 1 ? "1 object" : "\(generation.objects) objects",
            ]
            return """
                <li><a href="\(url(generation))"\(mark)>\(generation.name)</a>
                <span>\(details.joined(separator: " · ").truncated())</span></li>

                """
        }
        return """
            <p>Generations \(shown.startIndex + 1) to \(shown.endIndex) of \(generations.count), newest first.</p>
            <ul class="entries">
            \(items)</ul>
            """
    }

    private var comparison: HTML {
        guard let selected, let selectedIndex else { return "\(problemList)" }
        let neighbors = [("Newer", selectedIndex - 1), ("Older", selectedIndex + 1)]
        let links = neighbors.filter { generations.indices.contains($0.1) }.map {
            "<a href=\"\(url(generations[$0.1]))\">\($0.0)</a>\n" as HTML
        }
        return """
            <section aria-labelledby="selected">
            <h2 id="selected">Generation \(selected.name)</h2>
            <nav aria-label="Neighbors">\(links)</nav>
            <dl>
            \(HTML.fact("Time", selected.time))\(HTML.fact("Reason", (selected.reason ?? "unknown").truncated()))\
            \(HTML.fact("Program versions", selected.bundleVersions.joined(separator: ", ").truncated()))</dl>
            \(problemList)\(snapshot)
            <h3>Differences from the present state</h3>
            \(differenceList)
            \(rollbackForm)
            </section>
            """
    }

    private var problemList: HTML {
        "\(problems.prefix(Self.maximumProblems).map { "<p class=\"invalid\">\($0.truncated())</p>\n" as HTML })"
    }

    /// The snapshot. Lines that are not in the present rendering are marked.
    private var snapshot: HTML {
        guard !snapshotLines.isEmpty else { return "" }
        let present = presentLines.map(ExactString.init)
        let changes = present.difference(from: snapshotLines.map(ExactString.init))
        var changed: Set<Int> = []
        if !presentLines.isEmpty {
            for case .remove(let offset, _, _) in changes.removals { changed.insert(offset) }
        }
        let lines = snapshotLines.enumerated().map { index, line -> HTML in
            changed.contains(index) ? "<mark>\(line)</mark>\n" : "\(line)\n"
        }
        let isCutOff = snapshotLines.count == Self.maximumLines
        let notes = [
            changes.isEmpty && !isCutOff ? "The scene looks the same now." : nil,
            changed.isEmpty ? nil : "Marked lines look different now.",
            isCutOff ? "Only the beginning is shown." : nil,
        ]
        return """
            <h3>Snapshot</h3>
            <p>\(notes.compactMap(\.self).joined(separator: " "))</p>
            <pre tabindex="0" role="region" aria-label="Snapshot">
            \(lines)</pre>
            """
    }

    private var differenceList: HTML {
        if isForObserver {
            return "<p>Only users see the differences from the present state.</p>"
        }
        guard let differences else { return "<p>The differences are not known.</p>" }
        if differences.isEmpty { return "<p>The saved state of the scene is the same.</p>" }
        let items = differences.prefix(Self.maximumDifferences).map {
            "<li><span>\($0.html)</span></li>\n" as HTML
        }
        return "<ul class=\"entries\">\n\(items)</ul>"
    }

    private var rollbackURL: String { scene.url("/rollback", ("generation", selected?.name ?? "")) }

    private var rollbackForm: HTML {
        guard !isForObserver, let selected else { return "" }
        return """
            <form method="post" action="\(rollbackURL)">
            <button>Roll back to generation \(selected.name)…</button>
            </form>
            """
    }

    /// Page that asks whether to roll back to the selected generation.
    var confirmation: HTML {
        guard let selected else { return html }
        return .page(
            "Roll back?", of: scene,
            """
            <p>The scene returns to generation \(selected.name) of \(selected.time). The daemon first adds the present \
            state to the history, so you can roll back to it. Model data does not change.</p>
            <form method="post" action="\(rollbackURL)">
            <button name="confirmed" value="yes">Roll back</button>
            <a href="\(url(selected))">Cancel</a>
            </form>
            """)
    }
}

extension DifferenceDescription {
    /// Phrase that describes the difference between a generation and the present state.
    fileprivate var html: HTML {
        let subject: HTML = "<code>\((path ?? "The scene").truncated())</code>"
        switch kind {
        case .appeared: return "\(subject) exists only <ins>now</ins>"
        case .disappeared: return "\(subject) existed only <del>then</del>"
        case .unreadable: return "\(subject) has different values that cannot be read"
        default:
            // A null value is absent in JSON.
            let then = from ?? (kind == .changed || kind == .removed ? .null : nil)
            let now = to ?? (kind == .changed || kind == .added ? .null : nil)
            let values: [HTML?] = [
                then.map { " then <del>\($0.singleLineText.truncated())</del>" },
                now.map { " now <ins>\($0.singleLineText.truncated())</ins>" },
            ]
            return "\(subject) \((key ?? kind.rawValue).truncated()):\(values.compactMap(\.self))"
        }
    }
}
