import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Carries out the methods of `org.reprise.Control`.
///
/// What they do stands in extensions: what a client is told, what a person does to a scene, the life of
/// scenes and applications, what was saved earlier, what lies in quarantine, how the configuration is read again, and how the
/// daemon is made to end.
struct ControlImplementation: Sendable {
    let applications: ApplicationList
    let stateDirectory: String
    let condition: DaemonCondition
    let reloads: ReloadRequests

    /// The interface with a function for each of its methods.
    ///
    /// - Throws: a registration that does not fit the definition, which is a fault of the program.
    func interface() throws -> InterfaceImplementation {
        var interface = InterfaceImplementation(try ControlInterface.definition())
        try onLooking(&interface)
        try onOperating(&interface)
        try onLife(&interface)
        try onHistory(&interface)
        try onQuarantine(&interface)
        try onReplacing(&interface)
        try onReloading(&interface)
        try onDebug(&interface)
        return interface
    }

    /// Registers a method, whose errors are those of the interface.
    func on<Parameters: Decodable & Sendable, Answer: Encodable & Sendable>(
        _ method: ControlMethod, _ interface: inout InterfaceImplementation,
        _ body: @escaping @Sendable (Parameters) async throws -> Answer
    ) throws {
        try interface.on(method.rawValue) { (parameters: Parameters, _) async throws -> Answer in
            do {
                return try await body(parameters)
            } catch let error as ControlError {
                throw try error.varlinkError()
            } catch let error as ApplicationError {
                throw try ControlError(error).varlinkError()
            }
        }
    }

    /// Runs a body on the scene that parameters name, in a turn.
    func perform<Result: Sendable>(
        _ parameters: some ParametersOfScene,
        _ body: @escaping @Sendable (SceneCommands) throws -> Result
    ) async throws -> Reply<Result> {
        try await applications.find(parameters.application).perform(on: parameters.scene) {
            try body(SceneCommands($0))
        }
    }
}
