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

    /// Connects to the daemon, and finds the scene.
    ///
    /// The page of a scene sends its choice as one parameter `of`, which contains `application` and `scene`. Without
    /// parameters, the request refers to the first scene that is running, or the first scene.
    ///
    /// - Parameters:
    ///   - query: The query of the page's URL.
    ///   - socket: The path of the daemon's socket.
    init(query: String, socket: String) async throws(PageFailure) {
        guard let parameters = FormParameters(query) else {
            throw PageFailure(400, "The address of the page is not valid: open it from the scene.")
        }
        self.parameters = parameters
        do {
            connection = try await .connect(socket)
        } catch {
            throw PageFailure(503, "\(error)")
        }
        let applications = try await Self.call(ListCall(), connection).applications
        let choice = parameters["of"].flatMap(FormParameters.init) ?? parameters
        let (identifier, name) = (choice["application"], choice["scene"])
        let listed = applications.first { identifier == nil || $0.bundleIdentifier == identifier }
        guard let listed else {
            throw PageFailure(.refused(.noSuchApplication(application: identifier ?? "")))
        }
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
