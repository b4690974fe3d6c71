import SavedState
import StateRestoration

extension HostedScenes {
    /// What a name stands for.
    enum State {
        case launched(HostedScene)
        case launching
        case failed(reason: String)
        case saved
        case unknown
    }

    /// The scene that a command without a name goes to; nil if there is none.
    var firstName: RestorationIdentifier? {
        definition.scenes.first { isKnown($0) } ?? scenes.first?.name ?? archive.scenes.first?.name
    }

    /// What a name stands for.
    func state(of name: RestorationIdentifier) -> State {
        if let scene = scenes.first(where: { $0.name == name }) { return .launched(scene) }
        if restoring?.name == name || waiting.contains(name) || exchange?.covers(name) == true {
            return .launching
        }
        if let reason = failures[name] { return .failed(reason: reason) }
        return record(of: name) == nil ? .unknown : .saved
    }

    /// The names of all scenes, launched or not: the configured ones first, then those of the
    /// archive in its order, then new ones.
    var allNames: [RestorationIdentifier] {
        var all: [RestorationIdentifier] = []
        let launched = live.map(\.name) + waiting
        for name in definition.scenes + archive.scenes.map(\.name) + launched
        where !all.contains(name) && isKnown(name) {
            all.append(name)
        }
        return all
    }

    /// What an operator wants to know of each.
    var statuses: [SceneStatus] {
        allNames.map { name in
            switch state(of: name) {
            case .launched(let scene): scene.status
            case .launching:
                restoring.flatMap { $0.name == name ? $0.status : nil }
                    ?? SceneStatus(name: name, phase: .restoring)
            case .failed(let reason): SceneStatus(name: name, phase: .failed(reason: reason))
            case .saved, .unknown: SceneStatus(name: name, phase: .saved)
            }
        }
    }

    private func isKnown(_ name: RestorationIdentifier) -> Bool {
        if case .unknown = state(of: name) { false } else { true }
    }
}
