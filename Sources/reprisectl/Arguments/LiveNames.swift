import ExactText
import RepriseControl
import Varlink

/// Source of the names that the daemon currently provides, for suggestions and completion.
///
/// Calls have a short timeout and are not repeated after a failure.
struct LiveNames {
    /// Deadline for all replies.
    let deadline: ContinuousClock.Instant
    private let daemon: DaemonConnection

    /// Creates a source that requests names over a connection.
    ///
    /// - Parameter limit: Timeout for all calls together.
    init(_ daemon: DaemonConnection, within limit: Duration) {
        self.daemon = daemon
        deadline = .now + limit
    }

    /// Returns the applications with their scenes, in the order of the configuration.
    func applications() -> [ListedApplication] { tryCall(ListCall())?.applications ?? [] }

    /// Returns the paths of a scene's objects. The daemon launches the scene if it is not running.
    func paths(_ application: String?, _ scene: String?) -> [String] {
        tryCall(TreeCall(application: application, scene: scene))?.objects.map(\.path) ?? []
    }

    /// Returns the keys of an object in a scene. The daemon launches the scene if it is not running.
    func keys(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = GetCall(application: application, scene: scene, path: path)
        return tryCall(call)?.values?.keys.sorted() ?? []
    }

    /// Returns the commands that an object in a scene provides. The daemon launches the scene if it is not running.
    func commands(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = CommandsCall(application: application, scene: scene, path: path)
        return tryCall(call)?.commands.map(\.name) ?? []
    }

    /// Returns the names of an application's generations, oldest first.
    func generations(_ application: String?) -> [String] {
        tryCall(HistoryCall(application: application))?.generations.map(\.name) ?? []
    }

    /// Returns the names of the entries in an application's quarantine.
    func quarantinedNames(_ application: String?) -> [String] {
        tryCall(QuarantineCall(application: application))?.quarantined.map(\.name) ?? []
    }

    private func tryCall<Call: MethodCall>(_ call: Call) -> Call.Reply? {
        let remainingTime = ContinuousClock.now.duration(to: deadline)
        return remainingTime > .zero ? daemon.tryCall(call, within: remainingTime) : nil
    }
}

extension Failure {
    /// Returns the failure with a suggested name added, if the daemon refused the call and a similar name exists.
    ///
    /// This method requests the existing names from the daemon. If the call applies to a scene, that scene is already
    /// running, so the requests launch nothing.
    func suggesting(from daemon: DaemonConnection, for call: some MethodCall) -> Failure {
        guard let errorReply, let error = ControlError(errorReply) else { return self }
        let names = LiveNames(daemon, within: .seconds(1))
        let application = (call as? any ApplicationCall)?.application
        let scene = (call as? any SceneCall)?.scene
        let (unknownName, candidates): (String, [String])
        switch error {
        case .noSuchApplication(let name):
            return suggesting(
                NearestName(
                    to: name, among: names.applications().map(\.bundleIdentifier), after: "."
                )?.name)
        case .noSuchScene(let application, let name):
            let listedApplication = names.applications().first {
                $0.bundleIdentifier == application
            }
            (unknownName, candidates) = (name, listedApplication?.scenes.map(\.name) ?? [])
        case .noSuchObject(let path, _):
            (unknownName, candidates) = (path, names.paths(application, scene))
        case .noSuchKey(let path, let key):
            (unknownName, candidates) = (key, names.keys(of: path, application, scene))
        case .noSuchCommand(let path, let command, _):
            (unknownName, candidates) = (command, names.commands(of: path, application, scene))
        case .noSuchGeneration(_, let name, let generations):
            (unknownName, candidates) = (name, generations)
        case .notInQuarantine(let application, let name):
            (unknownName, candidates) = (name, names.quarantinedNames(application))
        case .noSuchStage(let name, let stages): (unknownName, candidates) = (name, stages)
        default: return self
        }
        return suggesting(NearestName(to: unknownName, among: candidates)?.name)
    }
}

extension CommandContext {
    /// Runs a closure that makes a call. If the daemon does not know a name in the call, the failure suggests a similar
    /// name.
    func suggestingNames<Result>(
        for call: some MethodCall, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let failure as Failure {
            throw failure.suggesting(from: daemon, for: call)
        }
    }
}
