import Glibc
import StateRestoration

/// How a program ends that was told to end at a stage.
package enum DebugExitAction: Sendable, Equatable {
    /// As if it had called `exit` with this code.
    case exit(code: Int32)
    /// As if it had run into an error of the program.
    case trap
}

/// Ends the program when a launch, a turn or a pass reaches a stage: for trying out what a crash
/// there leaves behind.
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
