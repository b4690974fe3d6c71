import ExactText
import RepriseControl
import TerminalText

/// Scenes of all applications.
struct ListedScenes {
    struct Entry {
        let application: String
        let name: String
        /// Reason why the scene is not running, or an empty string for a running scene.
        let phase: String

        var text: String { "\(application) \(name)" }
    }

    let entries: [Entry]

    init(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        entries = try calls.make(ofDaemon: ListCall()).applications.flatMap { application in
            application.scenes.map { scene in
                let phase =
                    application.phase == .running
                    ? (scene.phase == .running ? "" : " (\(scene.phase.rawValue))")
                    : " (\(application.phase.rawValue): `reprisectl launch` starts it)"
                return Entry(
                    application: application.bundleIdentifier, name: scene.name, phase: phase)
            }
        }
    }

    /// Returns the index of the scene that the client shows, or `nil` if it is not listed.
    func currentIndex(_ calls: SceneCalls) -> Int? {
        entries.firstIndex { $0.application == calls.application && $0.name == calls.scene }
    }

    /// Returns the running scene after the scene that the client shows, or `nil` if no other scene is running.
    func next(_ calls: SceneCalls) -> Entry? {
        let index = currentIndex(calls)
        let start = index.map { $0 + 1 } ?? 0
        return (entries[start...] + entries[..<(index ?? 0)]).first { $0.phase.isEmpty }
    }
}

/// Panel that lists the scenes of all applications, filters them by typed text, and lets the user switch to one of them.
struct ScenesPanel: AttachPanel {
    /// Maximum number of characters in the filter.
    private static let maximumFilterLength = 256

    let hint = "type to filter · Enter: switch to the scene · Escape: back"
    private let scenes: [ListedScenes.Entry]
    private var filter = ""
    private var matches: [ListedScenes.Entry]
    private var selection: PanelSelection

    init(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        let listed = try ListedScenes(calls)
        scenes = listed.entries
        matches = scenes
        selection = PanelSelection(index: listed.currentIndex(calls) ?? 0, count: scenes.count)
    }

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = selection.visibleRange(size.lines - 2).map { index in
            DrawnLine.entry(
                matches[index].text + matches[index].phase, isSelected: index == selection.index)
        }
        let heading = filter.isEmpty ? "  Scenes" : "  Scenes that contain \"\(filter)\""
        let empty = matches.isEmpty && !filter.isEmpty ? [DrawnLine.panel("    no scene")] : []
        return [.panel(heading, as: .bar), .panel("")] + entries + empty
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        if selection.press(key) { return .stay }
        switch key {
        case .enter where !matches.isEmpty:
            return .switchScene(
                application: matches[selection.index].application,
                scene: matches[selection.index].name)
        case .text(let text), .paste(let text): setFilter(filter + text)
        case .backspace: setFilter(String(filter.dropLast()))
        case .control("u"): setFilter("")
        case .escape where !filter.isEmpty: setFilter("")
        case .escape, .scenes: return .close
        default: break
        }
        return .stay
    }

    /// Shows the scenes that contain a text. The selected scene stays selected if it is one of them.
    private mutating func setFilter(_ text: String) {
        let selected = matches.indices.contains(selection.index) ? matches[selection.index] : nil
        filter = String(text.prefix(Self.maximumFilterLength))
        let searchText = filter.lowercased()
        matches = scenes.filter { filter.isEmpty || $0.text.lowercased().contains(searchText) }
        let index = matches.firstIndex {
            $0.application == selected?.application && $0.name == selected?.name
        }
        selection = PanelSelection(index: index ?? 0, count: matches.count)
    }
}
