import RepriseControl

/// Lists the scenes of all applications, to go to one.
struct ScenesPanel: AttachPanel {
    let hint = "Enter goes to a scene, Escape stays"
    private let scenes: [(application: String, scene: ListedScene)]
    private var choice: PanelChoice

    init(_ calls: SceneCalls) throws(SceneCalls.Failed) {
        scenes = try calls.make(ofDaemon: ListCall()).applications.flatMap { application in
            application.scenes.map { (application.bundleIdentifier, $0) }
        }
        let present = scenes.firstIndex {
            $0.application == calls.application && $0.scene.name == calls.scene
        }
        choice = PanelChoice(index: present ?? 0, count: scenes.count)
    }

    func lines(_ size: TerminalSession.Size) -> [DrawnLine] {
        let entries = choice.seen(size.lines - 2).map { index in
            let (application, scene) = scenes[index]
            let phase = scene.phase == .running ? "" : " (\(scene.phase.rawValue))"
            return DrawnLine.entry(
                "\(application) \(scene.name)\(phase)", isChosen: index == choice.index)
        }
        return [.panel("  Scenes", as: .bar), .panel("")] + entries
    }

    mutating func press(_ key: Key, _ calls: SceneCalls) -> PanelOutcome {
        if choice.press(key) { return .stays }
        switch key {
        case .enter where !scenes.isEmpty:
            let (application, scene) = scenes[choice.index]
            return .goes(application: application, scene: scene.name)
        case .escape, .scenes, .text("q"): return .ends
        default: return .stays
        }
    }
}
