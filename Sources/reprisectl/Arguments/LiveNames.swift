import ExactText
import RepriseControl
import Varlink

/// Source of the names that the daemon currently provides, for suggestions and completion. Each call is made only once
/// and has a short timeout.
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

    /// Returns the applications with their scenes, in the order in which the applications are configured.
    func applications() -> [ListedApplication] { tryCall(ListCall())?.applications ?? [] }

    /// Returns the paths of a scene's objects. The daemon launches the scene if it is not running.
    func paths(_ application: String?, _ scene: String?) -> [String] {
        let call = TreeCall.with {
            $0.application = application
            $0.scene = scene
        }
        return tryCall(call)?.objects.map(\.path) ?? []
    }

    /// Returns the keys of an object in a scene. The daemon launches the scene if it is not running.
    func keys(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = GetCall.with {
            $0.application = application
            $0.scene = scene
            $0.path = path
        }
        return tryCall(call)?.values?.keys.sorted() ?? []
    }

    /// Returns the commands that an object in a scene provides. The daemon launches the scene if it is not running.
    func commands(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = CommandsCall.with {
            $0.application = application
            $0.scene = scene
            $0.path = path
        }
        return tryCall(call)?.commands.map(\.name) ?? []
    }

    /// Returns the names of an application's generations, oldest first.
    func generations(_ application: String?) -> [String] {
        tryCall(HistoryCall.with { $0.application = application })?.generations.map(\.name) ?? []
    }

    /// Returns the names of the entries in an application's quarantine.
    func quarantinedNames(_ application: String?) -> [String] {
        tryCall(QuarantineCall.with { $0.application = application })?.quarantined.map(\.name) ?? []
    }

    private func tryCall<Call: MethodCall>(_ call: Call) -> Call.Reply? {
        let remaining = ContinuousClock.now.duration(to: deadline)
        return remaining > .zero ? daemon.tryCall(call, within: remaining) : nil
    }
}

extension LiveNames {
    /// Returns the name that the user probably meant when the daemon refused a call, or `nil` if no name is similar.
    ///
    /// - Parameter call: The refused call. If the call applies to a scene, that scene is running, so asking for its
    ///   names launches nothing.
    func suggestion(for error: ControlError, to call: some MethodCall) -> String? {
        let application = (call as? any ApplicationCall)?.application
        let scene = (call as? any SceneCall)?.scene
        return switch error {
        case .noSuchApplication(let name):
            NearestName(
                to: name, among: applications().map(\.bundleIdentifier), after: ".")?.name
        case .noSuchScene(let application, let name):
            NearestName(
                to: name,
                among: applications().first { $0.bundleIdentifier == application }?.scenes
                    .map(\.name) ?? [])?.name
        case .noSuchObject(let path, _):
            NearestName(to: path, among: paths(application, scene))?.name
        case .noSuchKey(let path, let key):
            NearestName(to: key, among: keys(of: path, application, scene))?.name
        case .noSuchCommand(let path, let command, _):
            NearestName(to: command, among: commands(of: path, application, scene))?.name
        case .noSuchGeneration(_, let name, let generations):
            NearestName(to: name, among: generations)?.name
        case .notInQuarantine(let application, let name):
            NearestName(to: name, among: quarantinedNames(application))?.name
        case .noSuchStage(let name, let stages):
            NearestName(to: name, among: stages)?.name
        default: nil
        }
    }
}

extension Failure {
    /// Returns the failure with a suggested name added, if the daemon refused the call and a similar name exists.
    ///
    /// The method requests the existing names from the daemon.
    func suggesting(from daemon: DaemonConnection, for call: some MethodCall) -> Failure {
        guard let reply, let error = ControlError(reply) else { return self }
        let names = LiveNames(daemon, within: .seconds(1))
        return suggesting(names.suggestion(for: error, to: call))
    }
}
