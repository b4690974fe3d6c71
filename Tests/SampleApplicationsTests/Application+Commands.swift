import Preservation
import RepriseControl
import StateRestoration

@testable import Reprise

extension Application {
    /// Runs commands on a scene in one turn.
    @discardableResult
    func command<Result: Sendable>(
        _ scene: String? = nil, _ body: @escaping @Sendable (SceneCommandRunner) throws -> Result
    ) async throws -> Result {
        try await performEvenIfUnsaved(on: scene) { try body(SceneCommandRunner($0)) }.result
    }

    /// Runs a user operation on a scene, and returns the durability level of the change.
    @discardableResult
    func command(
        _ scene: String? = nil,
        _ body: @escaping @Sendable (SceneCommandRunner) throws -> PersistenceCheck
    ) async throws -> DurabilityLevel {
        try await change(on: scene) { ((), try body(SceneCommandRunner($0))) }.saved
    }

    /// Runs a command on the first scene, in a turn in which another scene is inspected first.
    func command(
        lookingAt other: String, _ body: @escaping @Sendable (SceneCommandRunner) throws -> Void
    ) async throws {
        let look = Task.immediate {
            try await self.inspect(on: other) { SceneCommandRunner($0).renderedText() }
        }
        let change = Task.immediate {
            try await self.performEvenIfUnsaved { try body(SceneCommandRunner($0)) }
        }
        _ = try await look.value
        _ = try await change.value
    }

    /// Returns one value of an object, as `get` returns it.
    func value(_ key: String, at path: String) async throws -> StateJSON? {
        let passMetadata = passMetadata()
        return try await inspect {
            try SceneCommandRunner($0).values(at: path, passMetadata: passMetadata)[key]
        }.result
    }

    /// Returns the text that `show` prints.
    func picture(_ scene: String? = nil) async throws -> String {
        try await inspect(on: scene) { SceneCommandRunner($0).renderedText() }.result
    }
}
