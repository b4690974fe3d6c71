import ExactText
import RepriseControl

/// The names that a daemon has for what it holds, to suggest and to complete with: asked for on the
/// side, once and not for long.
struct LiveNames {
    /// Until when there may be an answer.
    let deadline: ContinuousClock.Instant
    private let daemon: DaemonConnection

    /// - Parameter limit: How long all questions may take together.
    init(_ daemon: DaemonConnection, within limit: Duration) {
        self.daemon = daemon
        deadline = .now + limit
    }

    /// The applications with their scenes, in the order of the configuration.
    func applications() -> [ListedApplication] { ask(ListCall())?.applications ?? [] }

    /// The paths of the objects of a scene. One that is only saved would be launched by this.
    func paths(_ application: String?, _ scene: String?) -> [String] {
        let call = TreeCall.with {
            $0.application = application
            $0.scene = scene
        }
        return ask(call)?.objects.map(\.path) ?? []
    }

    /// The keys of an object of a scene. One that is only saved would be launched by this.
    func keys(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = GetCall.with {
            $0.application = application
            $0.scene = scene
            $0.path = path
        }
        return ask(call)?.values?.keys.sorted() ?? []
    }

    /// The commands of an object of a scene. One that is only saved would be launched by this.
    func commands(of path: String, _ application: String?, _ scene: String?) -> [String] {
        let call = CommandsCall.with {
            $0.application = application
            $0.scene = scene
            $0.path = path
        }
        return ask(call)?.commands.map(\.name) ?? []
    }

    /// The generations of an application, the oldest first.
    func generations(_ application: String?) -> [String] {
        ask(HistoryCall.with { $0.application = application })?.generations.map(\.name) ?? []
    }

    /// What an application has in quarantine.
    func quarantined(_ application: String?) -> [String] {
        ask(QuarantineCall.with { $0.application = application })?.quarantined.map(\.name) ?? []
    }

    private func ask<Call: ControlCall>(_ call: Call) -> Call.Reply? {
        let remaining = ContinuousClock.now.duration(to: deadline)
        return remaining > .zero ? daemon.ask(call, within: remaining) : nil
    }
}

extension LiveNames {
    /// The name that was meant by somebody whom the daemon refused one; nil if none is near.
    ///
    /// - Parameter call: The call that was refused. Its scene is running: it refused.
    func suggestion(for error: ControlError, to call: some ControlCall) -> String? {
        let application = (call as? any ApplicationCall)?.application
        let scene = (call as? any SceneCall)?.scene
        return switch error {
        case .noSuchApplication(let name):
            NearestName(
                to: name, among: applications().map(\.bundleIdentifier), behind: ".")?.name
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
            NearestName(to: name, among: quarantined(application))?.name
        case .noSuchStage(let name, let stages):
            NearestName(to: name, among: stages)?.name
        default: nil
        }
    }
}
