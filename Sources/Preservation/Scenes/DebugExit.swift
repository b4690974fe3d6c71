import Glibc
import StateRestoration

/// How the process exits when it reaches a configured stage.
package enum DebugExitAction: Sendable, Equatable {
    /// The process calls `exit` with the given code.
    case exit(code: Int32)
    /// The process traps, as it does after a programming error.
    case trap
}

/// Debugging aid that makes the process exit at a given stage of a launch, turn or pass, in order to test recovery.
struct DebugExit {
    let stage: Stage
    let action: DebugExitAction

    func exitIfReached(_ stage: Stage) {
        guard stage == self.stage else { return }
        switch action {
        case .exit(let code): exit(code)
        case .trap: fatalError("a debug exit was armed for \(stage.rawValue)")
        }
    }
}
