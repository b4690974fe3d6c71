import Preservation
import RepriseControl
import Varlink

/// Methods that launch, save and quit an application.
extension ControlImplementation {
    func preserve(_ call: PreserveCall, _ context: CallContext) async throws -> PreserveCall.Reply {
        .init(try await applications.find(call.application).preserve())
    }

    func quit(_ call: QuitCall, _ context: CallContext) async throws -> QuitCall.Reply {
        let application = try applications.find(call.application)
        if call.force == true {
            let generation = try await application.forceQuit()
            var reply = QuitCall.Reply(await application.status().saved)
            reply.generation = generation
            return reply
        }
        let status = await application.status()
        switch status.phase {
        case .running, .launching: break
        case .stopped, .failed:
            throw ControlError.applicationNotRunning(application: status.bundleIdentifier)
        }
        do {
            try await application.quitUntilLaunch()
            return QuitCall.Reply(await application.status().saved)
        } catch {
            // The application stops even if its last state cannot be saved.
            return QuitCall.Reply(.notSaved(reason: String(describing: error)))
        }
    }

    func launch(_ call: LaunchCall, _ context: CallContext) async throws -> LaunchCall.Reply {
        let application = try applications.find(call.application)
        try await application.launch()
        let scenes = await application.status().scenes
        return LaunchCall.Reply(scenes: scenes.map(SceneDescription.init))
    }
}
