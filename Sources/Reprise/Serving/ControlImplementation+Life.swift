import Preservation
import RepriseControl
import Varlink

extension ControlImplementation {
    /// What makes and ends scenes and applications.
    func onLife(_ interface: inout InterfaceImplementation) throws {
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

    /// What was refused, and how it comes back.
    func onQuarantine(_ interface: inout InterfaceImplementation) throws {
        try on(.quarantine, &interface) { (parameters: ApplicationParameters) in
            let entries = try await applications.find(parameters.application).quarantined()
            return QuarantineReply(quarantined: entries.map(QuarantinedDescription.init))
        }
        try on(.quarantinePutBack, &interface) { (parameters: NameParameters) in
            PutBackReply(
                try await applications.find(parameters.application).putBack(parameters.name))
        }
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
