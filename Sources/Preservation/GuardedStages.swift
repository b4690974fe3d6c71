import LinuxIO
import StateRestoration

extension CrashStamp.Place? {
    /// Runs code of a scene; a crash in there is the scene's (L2).
    func run<Result, Failure>(
        at stage: Stage, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let self else { return try body() }
        return try self.run(at: stage.rawValue, body)
    }
}

extension Stage {
    /// Whether a launch reaches it.
    var isOfLaunch: Bool {
        switch self {
        case .launchBegin, .launchMade, .launchFound, .launchDecoded, .launchFinished: true
        case .turnBegin, .turnCommands, .turnWritten, .passBegin, .passEncoded: false
        }
    }
}
