import ExactText
import RepriseControl
import TerminalText

/// Scenes of all applications.
struct ListedScenes {
    struct Entry {
        let bundleIdentifier: String
        let name: String
        /// Text that states why the scene is not running, or an empty string for a running scene.
        let notRunningSuffix: String

        var text: String { "\(bundleIdentifier) \(name)" }
    }

    let entries: [Entry]

    init(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        entries = try calls.make(daemonCall: ListCall()).applications.flatMap { application in
            application.scenes.map { scene in
                let notRunningSuffix =
                    application.phase == .running
                    ? (scene.phase == .running ? "" : " (\(scene.phase.rawValue))")
                    : " (\(application.phase.rawValue): `reprisectl launch` starts it)"
                return Entry(
                    bundleIdentifier: application.bundleIdentifier, name: scene.name,
                    notRunningSuffix: notRunningSuffix)
            }
        }
    }

    /// Returns the index of the scene that the client shows, or `nil` if it is not listed.
    func currentIndex(_ calls: SceneCalls) -> Int? {
        entries.firstIndex {
            $0.bundleIdentifier == calls.bundleIdentifier && $0.name == calls.sceneName
        }
    }

    /// Returns the running scene after the scene that the client shows, or `nil` if no other scene is running.
    func nextRunningScene(_ calls: SceneCalls) -> Entry? {
        let index = currentIndex(calls)
        let nextIndex = index.map { $0 + 1 } ?? 0
        return (entries[nextIndex...] + entries[..<(index ?? 0)]).first {
            $0.notRunningSuffix.isEmpty
        }
    }
}

/// Panel that lists the scenes of all applications. The user can filter the list and switch to a scene.
struct ScenesPanel: AttachPanel {
    /// Maximum number of characters in the filter.
    private static let maximumFilterLength = 256

    let hint = "type to filter · Enter: switch to the scene · Escape: back"
    private let scenes: [ListedScenes.Entry]
    private var filter = ""
    private var matchingScenes: [ListedScenes.Entry]
    private var selection: PanelSelection

    init(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        let listedScenes = try ListedScenes(calls)
        scenes = listedScenes.entries
        matchingScenes = scenes
        selection = PanelSelection(
            selectedIndex: listedScenes.currentIndex(calls) ?? 0, entryCount: scenes.count)
    }

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = selection.visibleRange(size.lines - 2).map { index in
            DrawnLine.entry(
                matchingScenes[index].text + matchingScenes[index].notRunningSuffix,
                isSelected: index == selection.selectedIndex)
        }
        let heading = filter.isEmpty ? "  Scenes" : "  Scenes that contain \"\(filter)\""
        let placeholderLines =
            matchingScenes.isEmpty && !filter.isEmpty ? [DrawnLine.panel("    no scene")] : []
        return [.panel(heading, as: .bar), .panel("")] + entries + placeholderLines
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        if selection.press(key) { return .stayOpen }
        switch key {
        case .enter where !matchingScenes.isEmpty:
            return .switchScene(
                bundleIdentifier: matchingScenes[selection.selectedIndex].bundleIdentifier,
                sceneName: matchingScenes[selection.selectedIndex].name)
        case .text(let text), .paste(let text): setFilter(filter + text)
        case .backspace: setFilter(String(filter.dropLast()))
        case .control("u"): setFilter("")
        case .escape where !filter.isEmpty: setFilter("")
        case .escape, .scenes: return .close
        default: break
        }
        return .stayOpen
    }

    /// Lists only the scenes whose application or name contains a text. The selected scene stays selected if it is
    /// still listed.
    private mutating func setFilter(_ text: String) {
        let selectedEntry =
            matchingScenes.indices.contains(selection.selectedIndex)
            ? matchingScenes[selection.selectedIndex] : nil
        filter = String(text.prefix(Self.maximumFilterLength))
        let searchText = filter.lowercased()
        matchingScenes = scenes.filter {
            filter.isEmpty || $0.text.lowercased().contains(searchText)
        }
        let index = matchingScenes.firstIndex {
            $0.bundleIdentifier == selectedEntry?.bundleIdentifier && $0.name == selectedEntry?.name
        }
        selection = PanelSelection(selectedIndex: index ?? 0, entryCount: matchingScenes.count)
    }
}
