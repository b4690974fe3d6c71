import Glibc
import Preservation
import RepriseControl
import StateRestoration
import Varlink

/// Carries out the methods of `org.reprise.Control`.
struct ControlImplementation: Sendable {
    let applications: ApplicationList
    let stateDirectory: String
    /// Whether a client may make the daemon end.
    let allowsDebugExits: Bool

    /// The interface with a function for each of its methods.
    ///
    /// - Throws: a registration that does not fit the definition, which is a fault of the program.
    func interface() throws -> InterfaceImplementation {
        var interface = InterfaceImplementation(try ControlInterface.definition())
        try on(.status, &interface) { (_: Empty) in await status() }
        try on(.list, &interface) { (_: Empty) in await list() }
        try on(.show, &interface) { (parameters: SceneParameters) in
            try await perform(parameters.application, parameters.scene) { scene in
                ShowReply(text: SceneCommands(scene).picture())
            }.result
        }
        try on(.tree, &interface) { (parameters: SceneParameters) in
            try await perform(parameters.application, parameters.scene) { scene in
                SceneCommands(scene).tree()
            }.result
        }
        try on(.get, &interface) { (parameters: GetParameters) in try await get(parameters) }
        try on(.type, &interface) { (parameters: TypeParameters) in
            SavedReply(
                try await perform(parameters.application, parameters.scene) { scene in
                    try SceneCommands(scene).type(parameters.text, at: parameters.path)
                })
        }
        try on(.select, &interface) { (parameters: SelectParameters) in
            SavedReply(
                try await perform(parameters.application, parameters.scene) { scene in
                    try SceneCommands(scene).select(parameters.indexes, at: parameters.path)
                })
        }
        try on(.report, &interface) { (parameters: SceneParameters) in
            ReportReply(
                try await applications.find(parameters.application)
                    .launchedScene(parameters.scene))
        }
        try on(.explain, &interface) { (parameters: ObjectParameters) in
            try await explain(parameters)
        }
        try onLife(&interface)
        try onDebug(&interface)
        return interface
    }

    /// What makes and ends scenes and applications.
    private func onLife(_ interface: inout InterfaceImplementation) throws {
        try on(.open, &interface) { (parameters: NameParameters) in
            SavedReply(
                try await applications.find(parameters.application).open(scene: parameters.name))
        }
        try on(.close, &interface) { (parameters: NameParameters) in
            SavedReply(
                try await applications.find(parameters.application).close(scene: parameters.name))
        }
        try on(.preserve, &interface) { (parameters: ApplicationParameters) in
            SavedReply(try await applications.find(parameters.application).preserve())
        }
        try on(.quit, &interface) { (parameters: QuitParameters) in
            let application = try applications.find(parameters.application)
            return try await parameters.force == true
                ? quitByForce(application) : quit(application)
        }
        try on(.launch, &interface) { (parameters: ApplicationParameters) in
            let application = try applications.find(parameters.application)
            try await application.launch()
            return LaunchReply(
                scenes: await application.status().scenes.map(SceneDescription.init))
        }
    }

    /// What ends the daemon, to try out what comes back.
    private func onDebug(_ interface: inout InterfaceImplementation) throws {
        try on(.debugExit, &interface) { (parameters: DebugExitParameters) in
            let status = parameters.status ?? 0
            guard let code = UInt8(exactly: status) else {
                throw VarlinkError.invalidParameter("status")
            }
            return try await arm(
                parameters.application, parameters.stage, .exit(code: Int32(code)))
        }
        try on(.debugTrap, &interface) { (parameters: DebugTrapParameters) in
            try await arm(parameters.application, parameters.stage, .trap)
        }
    }

    private func on<Parameters: Decodable & Sendable, Answer: Encodable & Sendable>(
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

    private func perform<Result: Sendable>(
        _ application: String?, _ scene: String?,
        _ body: @escaping @Sendable (Scene) throws -> Result
    ) async throws -> Reply<Result> {
        try await applications.find(application).perform(on: scene, body)
    }

    private func status() async -> StatusReply {
        StatusReply(
            version: Daemon.version, processIdentifier: Int(getpid()),
            stateDirectory: stateDirectory,
            applications: await applications.statuses().map(ApplicationDescription.init))
    }

    private func list() async -> ListReply {
        ListReply(
            applications: await applications.statuses().map { status in
                ListReply.Application(
                    bundleIdentifier: status.bundleIdentifier,
                    phase: ApplicationDescription(status).phase.rawValue,
                    scenes: status.scenes.map(\.name.text))
            })
    }

    private func get(_ parameters: GetParameters) async throws -> GetReply {
        let application = try applications.find(parameters.application)
        let stamp = await application.stamp()
        let values = try await application.perform(on: parameters.scene) { scene in
            try SceneCommands(scene).values(at: parameters.path, stamp: stamp)
        }.result
        guard let key = parameters.key else { return GetReply(values: values) }
        guard let value = values[key] else {
            throw ControlError.noSuchKey(path: parameters.path, key: key)
        }
        return GetReply(value: value)
    }

    private func explain(_ parameters: ObjectParameters) async throws -> ExplainReply {
        let stamp = try await applications.find(parameters.application).stamp()
        return try await perform(parameters.application, parameters.scene) { scene in
            try SceneCommands(scene).explanation(of: parameters.path, stamp: stamp)
        }.result
    }

    private func arm(
        _ name: String?, _ stageName: String, _ action: DebugExitAction
    ) async throws -> Empty {
        guard allowsDebugExits else { throw ControlError.debugExitsNotAllowed }
        guard let stage = Stage(rawValue: stageName) else {
            throw ControlError.noSuchStage(
                stage: stageName, stages: Stage.allCases.map(\.rawValue))
        }
        try await applications.find(name).armDebugExit(stage: stage, action: action)
        return Empty()
    }

    /// Nothing is saved any more, so that what is saved can only be gone.
    private func quitByForce(_ application: Application) async throws -> SavedReply {
        try await application.quit(force: true)
        return SavedReply(await application.status().saved)
    }

    /// The application has ended even if its last state could not be saved.
    private func quit(_ application: Application) async throws -> SavedReply {
        let before = await application.status()
        switch before.phase {
        case .running, .launching: break
        case .stopped, .failed:
            throw ControlError.applicationNotRunning(application: before.bundleIdentifier)
        }
        do {
            try await application.quit()
            return SavedReply(await application.status().saved)
        } catch {
            return SavedReply(saved: .no, notSavedReason: String(describing: error))
        }
    }
}
