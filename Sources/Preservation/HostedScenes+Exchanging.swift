import SavedState
import StateRestoration

extension HostedScenes {
    /// Scenes begin to give way to others of the same names, to be launched like those that wait.
    ///
    /// - Parameters:
    ///   - names: the scenes to launch; what is saved of them is restored.
    ///   - ending: scenes that end when the others are launched.
    ///   - definition: what the new ones are made of.
    ///   - known: what the guard of launches knows of them.
    func beginExchange(
        of names: [RestorationIdentifier], ending: [RestorationIdentifier] = [],
        reason: LaunchReason, definition: ApplicationDefinition, known: KnownLaunches,
        purpose: SceneExchange.Purpose
    ) {
        let old = scenes.filter { names.contains($0.name) || ending.contains($0.name) }
        exchange = SceneExchange(
            reason: reason, definition: definition, old: old, names: names,
            order: scenes.map(\.name), known: known,
            failures: failures.filter { names.contains($0.key) }, purpose: purpose)
        scenes.removeAll { scene in old.contains { $0 === scene } }
        for name in names {
            waiting.removeAll { $0 == name }
            wait(for: name)
        }
    }

    /// What a scene that is to be launched is made of.
    func definition(of name: RestorationIdentifier) -> ApplicationDefinition {
        guard let exchange, exchange.names.contains(name) else { return definition }
        return exchange.definition
    }

    /// The new scenes take the places of the old ones, if all of them are launched.
    ///
    /// - Returns: what was exchanged; nil if one is still to come, or none is exchanged.
    func takeExchanged() -> SceneExchange? {
        guard let exchange, exchange.isReady else { return nil }
        self.exchange = nil
        definition = exchange.definition
        scenes += exchange.ready
        sortScenes(as: exchange.order)
        return exchange
    }

    /// The new scenes go, and the old ones go on.
    ///
    /// - Returns: what was not exchanged; nil if nothing is being exchanged.
    func abandonExchange() -> SceneExchange? {
        guard let exchange else { return nil }
        self.exchange = nil
        waiting.removeAll { exchange.names.contains($0) }
        for scene in exchange.ready { scene.end() }
        if let restoring, exchange.names.contains(restoring.name) {
            restoring.end()
            self.restoring = nil
        }
        scenes += exchange.old
        sortScenes(as: exchange.order)
        return exchange
    }

    private func sortScenes(as order: [RestorationIdentifier]) {
        let places = Dictionary(
            order.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        let last = order.count
        scenes = scenes.enumerated().sorted { one, other in
            (places[one.element.name] ?? last, one.offset)
                < (places[other.element.name] ?? last, other.offset)
        }.map(\.element)
    }
}
