import SavedState
import StateRestoration

/// Scenes that give way to others of the same names, which are launched beside them.
///
/// Commands to all of them wait. When every new scene is launched they change places at once; if one
/// cannot be launched, all new ones go and the old go on.
final class SceneExchange {
    /// Why the new ones are launched (R2).
    let reason: LaunchReason
    /// What the new ones are made of.
    let definition: ApplicationDefinition
    /// The scenes that give way, none of which makes a pass meanwhile.
    let old: [HostedScene]
    /// The names of the scenes that are launched.
    let names: [RestorationIdentifier]
    /// All scenes before, in their order.
    let order: [RestorationIdentifier]
    /// What the guard of launches knew of them before.
    let known: KnownLaunches
    /// Why those of the scenes could not be launched before that could not.
    let failures: [RestorationIdentifier: String]
    /// The new ones that are launched.
    var ready: [HostedScene] = []
    /// What is to be done when it is over.
    let purpose: Purpose

    /// Why scenes are exchanged.
    enum Purpose {
        /// They get another saved state.
        case replacement(PendingReplacement)
        /// They are made anew from what is saved; who asked for it is told why not, or nil.
        case relaunch(CheckedContinuation<ExchangeFailure?, Never>)
    }

    init(
        reason: LaunchReason, definition: ApplicationDefinition, old: [HostedScene],
        names: [RestorationIdentifier], order: [RestorationIdentifier], known: KnownLaunches,
        failures: [RestorationIdentifier: String], purpose: Purpose
    ) {
        self.reason = reason
        self.definition = definition
        self.old = old
        self.names = names
        self.order = order
        self.known = known
        self.failures = failures
        self.purpose = purpose
    }

    /// Whether commands to a scene of that name wait.
    func covers(_ name: RestorationIdentifier) -> Bool {
        names.contains(name) || old.contains { $0.name == name }
    }

    /// Whether the new ones are no good without the state that they are launched from.
    var needsState: Bool { if case .replacement = purpose { true } else { false } }

    /// Whether every new scene is launched.
    var isReady: Bool {
        names.allSatisfy { name in ready.contains { $0.name == name } }
    }
}

/// What the guard of launches knows of scenes.
typealias KnownLaunches = [RestorationIdentifier: SceneLaunches]

/// Why scenes did not give way to others; nothing has changed then.
struct ExchangeFailure: Error, CustomStringConvertible {
    /// The scene that could not be launched; nil: it is not for one.
    var scene: RestorationIdentifier?
    /// Why not; a clause.
    var reason: String

    var description: String {
        scene.map { "the scene \($0) could not be launched: \(reason)" } ?? reason
    }
}

/// The delegate of a scene that was launched for another state did not want that state.
struct RefusedState: Error, CustomStringConvertible {
    var description: String { "the application refused the state" }
}
