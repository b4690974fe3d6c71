import Glibc
import StateRestoration

/// How the process exits at a configured stage.
package enum DebugExitAction: Sendable, Equatable {
    /// The process calls `exit` with this code.
    case exit(code: Int32)
    /// The process traps, as after a programming error.
    case trap
}

/// Exits the process when a launch, a turn or a pass reaches a stage, to test recovery after a crash.
struct DebugExit {
    let stage: Stage
    let action: DebugExitAction

    func reach(_ stage: Stage) {
        guard stage == self.stage else { return }
        switch action {
        case .exit(let code): exit(code)
        case .trap: fatalError("a debug exit was armed for \(stage.rawValue)")
        }
    }
}
