import ExactText
import RepriseControl
import Varlink

/// Request for a page about a scene, with a connection to the daemon.
struct PageRequest: Sendable {
    /// Parameters of the page's URL.
    let parameters: FormParameters
    /// Scene to which the page refers.
    let scene: SceneAddress
    /// Whether the scene is running. If it is not, calls that read the scene would launch it.
    let isRunning: Bool
    private let connection: VarlinkConnection

    /// Connects to the daemon that runs the application, and finds the scene.
    ///
    /// The page of a scene sends its choice as one parameter `of`, which contains `application` and `scene`. Without
    /// parameters, the request refers to the first running scene. If no scene is running, it refers to the first scene.
    ///
    /// - Parameters:
    ///   - query: The query of the page's URL.
    ///   - sockets: The sockets of the daemons.
    init(query: String, sockets: DaemonSockets) async throws(PageFailure) {
        guard let parameters = FormParameters(query) else {
            throw PageFailure(400, "The address of the page is not valid: open it from the scene.")
        }
        self.parameters = parameters
        let choice = parameters["of"].flatMap(FormParameters.init) ?? parameters
        let (identifier, name) = (choice["application"], choice["scene"])
        let listed: ListedApplication
        (connection, listed) = try await Self.find(identifier, sockets)
        let found =
            if let name {
                listed.scenes.first { $0.name == name }
            } else {
                listed.scenes.first { $0.phase == .running } ?? listed.scenes.first
            }
        guard let found else {
            let (application, scene) = (listed.bundleIdentifier, name ?? "main")
            throw PageFailure(.refused(.noSuchScene(application: application, scene: scene)))
        }
        scene = SceneAddress(application: listed.bundleIdentifier, scene: found.name)
        isRunning = found.phase == .running
    }

    /// Returns an application with a connection to the daemon that runs it, or to the last daemon that has stopped it.
    private static func find(
        _ identifier: String?, _ sockets: DaemonSockets
    ) async throws(PageFailure) -> (VarlinkConnection, ListedApplication) {
        var found: (VarlinkConnection, ListedApplication)?
        var failure = PageFailure(.refused(.noSuchApplication(application: identifier ?? "")))
        for path in sockets.paths(for: identifier) {
            do {
                let connection = try await VarlinkConnection.connect(path)
                let listed = try await connection.call(ListCall()).applications.first {
                    identifier == nil || $0.bundleIdentifier == identifier
                }
                guard let listed else { continue }
                found = (connection, listed)
                if listed.phase == .running { break }
            } catch {
                failure = PageFailure(503, "\(error)")
            }
        }
        guard let found else { throw failure }
        return found
    }

    /// Calls a method of the daemon.
    func call<Call: MethodCall>(
        _ call: Call
    ) async throws(PageFailure) -> Call.Reply where Call.Refusal == ControlError {
        try await Self.call(call, connection)
    }

    private static func call<Call: MethodCall>(
        _ call: Call, _ connection: VarlinkConnection
    ) async throws(PageFailure) -> Call.Reply where Call.Refusal == ControlError {
        do throws(CallFailure<ControlError>) {
            return try await connection.call(call)
        } catch {
            throw PageFailure(error)
        }
    }
}
