import PositionedYAML
import Preservation

extension Reloader {
    /// Why an application goes on as it was.
    struct Failure: Error {
        let sentence: String
    }

    /// Gives applications the definitions that changed, all at a time; one that fails harms no other.
    ///
    /// - Returns: what changed of each, in their order.
    func reload(_ assembly: HostAssembly) async -> [(String, Result<[String], Failure>)] {
        let pairs = applications.applications.compactMap { application in
            assembly.definitions.first { $0.bundleIdentifier == application.bundleIdentifier }
                .map { (application, $0) }
        }
        return await withTaskGroup { group in
            for (index, (application, definition)) in pairs.enumerated() {
                group.addTask { (index, await reload(application, definition)) }
            }
            var results: [Int: Result<[String], Failure>] = [:]
            for await (index, result) in group { results[index] = result }
            return pairs.enumerated().compactMap { index, pair in
                results[index].map { (pair.0.bundleIdentifier, $0) }
            }
        }
    }

    private func reload(
        _ application: Application, _ definition: ApplicationDefinition
    ) async -> Result<[String], Failure> {
        let old = await application.definition
        var changed: [String] = []
        if old.resourceFingerprint != definition.resourceFingerprint {
            changed.append("the storyboards of \(application.bundleIdentifier)")
        }
        if old.scenes != definition.scenes {
            changed.append("the scenes of \(application.bundleIdentifier)")
        }
        if changed.isEmpty { return .success([]) }
        do {
            try await application.reload(definition)
            // What it failed for may be mended.
            if case .failed = await application.status().phase { try await application.launch() }
            return .success(changed)
        } catch {
            return .failure(Failure(sentence: String(describing: error)))
        }
    }

    // MARK: What waits for the restart

    /// What of the configuration takes effect at the next restart; clauses.
    func waiting(_ assembly: HostAssembly) -> [String] {
        let new = assembly.loaded.configuration
        var clauses: [String] = []
        if source.options.socket == nil, new.control.socket != source.started.control.socket {
            clauses.append("control.socket")
        }
        let hosted = applications.applications.map(\.bundleIdentifier)
        let wanted = new.applications.map(\.bundleIdentifier.value)
        for name in wanted where !hosted.contains(name) {
            clauses.append("the application \(name), which was added")
        }
        for name in hosted where !wanted.contains(name) {
            clauses.append("the application \(name), which was taken out and runs until then")
        }
        if hosted.filter(wanted.contains) != wanted.filter(hosted.contains) {
            clauses.append("the order of the applications")
        }
        for name in hosted {
            guard let places = assembly.waiting[name] else { continue }
            clauses += places.errors.map { "the storyboards of \(name): \($0)" }
        }
        return clauses
    }
}
