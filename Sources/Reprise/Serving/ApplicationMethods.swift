import Preservation
import RepriseControl
import Varlink

/// Methods that start, stop and save an application and its scenes, and methods for its history and quarantine.
struct ApplicationMethods: Sendable {
    let applications: ApplicationList

    func serve(in methods: inout ServedMethods) throws {
        try serveLife(in: &methods)
        try serveEarlierStates(in: &methods)
    }

    private func serveLife(in methods: inout ServedMethods) throws {
        try on(OpenCall.self, in: &methods) { application, call in
            SavedReply(try await application.open(scene: call.name))
        }
        try on(CloseCall.self, in: &methods) { application, call in
            SavedReply(try await application.close(scene: call.name))
        }
        try on(PreserveCall.self, in: &methods) { application, _ in
            SavedReply(try await application.preserve())
        }
        try on(QuitCall.self, in: &methods) { application, call in
            try await call.force == true ? quitByForce(application) : quit(application)
        }
        try on(LaunchCall.self, in: &methods) { application, _ in
            try await application.launch()
            let scenes = await application.status().scenes
            return .with { $0.scenes = scenes.map(SceneDescription.init) }
        }
    }

    private func serveEarlierStates(in methods: inout ServedMethods) throws {
        try on(HistoryCall.self, in: &methods) { application, call in
            let (generations, omitted) = try await application.history(
                before: call.before, limit: HistoryCall.limit)
            return .with {
                $0.generations = generations.map(GenerationDescription.init)
                $0.omitted = omitted
            }
        }
        try methods.on(DiffCall.self) { call, context in
            DiffCall.Reply(
                try await applications.find(call.application)
                    .diff(from: call.from, to: call.to, looking: context.access != .all))
        }
        try on(RollbackCall.self, in: &methods) { application, call in
            ReplacedReply(
                try await application.rollBack(to: call.generation, scene: call.scene))
        }
        try on(ResetCall.self, in: &methods) { application, call in
            ReplacedReply(
                try await call.toSaved == true
                    ? application.resetToSaved(scene: call.scene)
                    : application.reset(scene: call.scene))
        }
        try on(QuarantineCall.self, in: &methods) { application, _ in
            let entries = try await application.quarantined()
            return .with { $0.quarantined = entries.map(QuarantinedDescription.init) }
        }
        try on(HistoryDeleteCall.self, in: &methods) { application, call in
            try await application.deleteGenerations(call.generations)
            return EmptyReply()
        }
        try on(QuarantineDeleteCall.self, in: &methods) { application, call in
            try await application.deleteQuarantined(call.names)
            return EmptyReply()
        }
        try on(QuarantineAcknowledgeCall.self, in: &methods) { application, _ in
            try await application.acknowledgeQuarantine()
            return EmptyReply()
        }
        try on(QuarantinePutBackCall.self, in: &methods) { application, call in
            QuarantinePutBackCall.Reply(
                try await application.putBack(call.name, salvaging: call.salvage == true))
        }
    }

    private func on<Call: ApplicationCall>(
        _ type: Call.Type, in methods: inout ServedMethods,
        _ body: @escaping @Sendable (Application, Call) async throws -> Call.Reply
    ) throws {
        try methods.on(type) { call in
            try await body(applications.find(call.application), call)
        }
    }

    /// Quits an application without saving. Its state moves to the history, so it has no saved state afterwards.
    private func quitByForce(_ application: Application) async throws -> QuitCall.Reply {
        var reply = QuitCall.Reply()
        reply.generation = try await application.quitByForce()
        reply.take(await application.status().saved)
        return reply
    }

    /// Quits an application. The application stops even if its last state cannot be saved.
    private func quit(_ application: Application) async throws -> QuitCall.Reply {
        let before = await application.status()
        switch before.phase {
        case .running, .launching: break
        case .stopped, .failed:
            throw ControlError.applicationNotRunning(application: before.bundleIdentifier)
        }
        var reply = QuitCall.Reply()
        do {
            try await application.quit()
            reply.take(await application.status().saved)
        } catch {
            reply.take(.notSaved(reason: String(describing: error)))
        }
        return reply
    }
}
