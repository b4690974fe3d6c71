import Preservation
import RepriseControl
import Varlink

/// Methods for an application's history and quarantine.
extension ControlImplementation {
    func history(_ call: HistoryCall, _ context: CallContext) async throws -> HistoryCall.Reply {
        let (generations, omitted) = try await applications.find(call.application)
            .history(before: call.before, limit: HistoryCall.maximumGenerations)
        return HistoryCall.Reply(
            generations: generations.map(GenerationDescription.init), omitted: omitted)
    }

    func diff(_ call: DiffCall, _ context: CallContext) async throws -> DiffCall.Reply {
        .init(
            try await applications.find(call.application)
                .diff(from: call.from, to: call.to, readOnly: context.access != .all))
    }

    func rollback(_ call: RollbackCall, _ context: CallContext) async throws -> RollbackCall.Reply {
        .init(
            try await applications.find(call.application)
                .rollBack(to: call.generation, scene: call.scene))
    }

    func reset(_ call: ResetCall, _ context: CallContext) async throws -> ResetCall.Reply {
        let application = try applications.find(call.application)
        return .init(
            try await call.toSaved == true
                ? application.resetToSaved(scene: call.scene)
                : application.reset(scene: call.scene))
    }

    func quarantine(
        _ call: QuarantineCall, _ context: CallContext
    ) async throws -> QuarantineCall.Reply {
        let entries = try await applications.find(call.application).quarantined()
        return QuarantineCall.Reply(quarantined: entries.map(QuarantinedDescription.init))
    }

    func historyDelete(_ call: HistoryDeleteCall, _ context: CallContext) async throws {
        try await applications.find(call.application).deleteGenerations(call.generations)
    }

    func quarantineDelete(_ call: QuarantineDeleteCall, _ context: CallContext) async throws {
        try await applications.find(call.application).deleteQuarantined(call.names)
    }

    func quarantineAcknowledge(
        _ call: QuarantineAcknowledgeCall, _ context: CallContext
    ) async throws {
        try await applications.find(call.application).acknowledgeQuarantine()
    }

    func quarantinePutBack(
        _ call: QuarantinePutBackCall, _ context: CallContext
    ) async throws -> QuarantinePutBackCall.Reply {
        .init(
            putBack: try await applications.find(call.application)
                .putBack(call.name, salvaging: call.salvage == true))
    }
}
