import ExactText
import RepriseControl

/// Panel that lists the scenes of all applications, to switch to one of them.
struct ScenesPanel: AttachPanel {
    let hint = "Enter: switch to the scene · Escape: back"
    /// Scenes, each with its phase if the scene is not running.
    private let scenes: [(application: String, name: String, phase: String)]
    private var choice: PanelChoice

    init(_ calls: SceneCalls) throws(SceneCalls.Failed) {
        scenes = try calls.make(ofDaemon: ListCall()).applications.flatMap { application in
            application.scenes.map { scene in
                let phase =
                    application.phase == .running
                    ? (scene.phase == .running ? "" : " (\(scene.phase.rawValue))")
                    : " (\(application.phase.rawValue): `reprisectl launch` starts it)"
                return (application.bundleIdentifier, scene.name, phase)
            }
        }
        let present = scenes.firstIndex {
            $0.application == calls.application && $0.name == calls.scene
        }
        choice = PanelChoice(index: present ?? 0, count: scenes.count)
    }

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = choice.seen(size.lines - 2).map { index in
            let (application, name, phase) = scenes[index]
            return DrawnLine.entry(
                "\(application) \(name)\(phase)", isChosen: index == choice.index)
        }
        return [.panel("  Scenes", as: .bar), .panel("")] + entries
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        if choice.press(key) { return .stays }
        switch key {
        case .enter where !scenes.isEmpty:
            return .goes(
                application: scenes[choice.index].application, scene: scenes[choice.index].name)
        case .escape, .scenes, .text("q"): return .ends
        default: return .stays
        }
    }
}
