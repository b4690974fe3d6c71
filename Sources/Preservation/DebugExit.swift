import Glibc
import Logging
public import StateRestoration

/// How a program ends that was told to end at a stage.
public enum DebugExitAction: Sendable, Equatable {
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

extension Application {
    /// Makes the program end as soon as a launch, a turn or a pass of this application reaches a
    /// stage. In memory alone: the next program knows nothing of it.
    ///
    /// - Parameters:
    ///   - stage: where. A stage of a launch waits for the next one.
    ///   - action: how.
    public func armDebugExit(stage: Stage, action: DebugExitAction) {
        debugExit = DebugExit(stage: stage, action: action)
        log.tell(
            .warning, .debugExitArmed, "will end the program at the stage \(stage.rawValue)",
            reason: stage.rawValue)
    }
}
