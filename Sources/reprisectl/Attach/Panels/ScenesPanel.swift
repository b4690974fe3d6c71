import ExactText
import RepriseControl

/// Panel that lists the scenes of all applications and lets the user switch to one of them.
struct ScenesPanel: AttachPanel {
    let hint = "Enter: switch to the scene · Escape: back"
    /// Scenes of all applications. The phase describes why a scene is not running, and is empty for a running scene.
    private let scenes: [(application: String, name: String, phase: String)]
    private var selection: PanelSelection

    init(_ calls: SceneCalls) throws(SceneCalls.CallError) {
        scenes = try calls.make(ofDaemon: ListCall()).applications.flatMap { application in
            application.scenes.map { scene in
                let phase =
                    application.phase == .running
                    ? (scene.phase == .running ? "" : " (\(scene.phase.rawValue))")
                    : " (\(application.phase.rawValue): `reprisectl launch` starts it)"
                return (application.bundleIdentifier, scene.name, phase)
            }
        }
        let currentIndex = scenes.firstIndex {
            $0.application == calls.application && $0.name == calls.scene
        }
        selection = PanelSelection(index: currentIndex ?? 0, count: scenes.count)
    }

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = selection.visibleRange(size.lines - 2).map { index in
            let (application, name, phase) = scenes[index]
            return DrawnLine.entry(
                "\(application) \(name)\(phase)", isSelected: index == selection.index)
        }
        return [.panel("  Scenes", as: .bar), .panel("")] + entries
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        if selection.press(key) { return .stay }
        switch key {
        case .enter where !scenes.isEmpty:
            return .switchScene(
                application: scenes[selection.index].application,
                scene: scenes[selection.index].name)
        case .escape, .scenes, .text("q"): return .close
        default: return .stay
        }
    }
}
