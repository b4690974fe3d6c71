import Preservation
import RepriseControl
import StateRestoration

@testable import Reprise

extension Application {
    /// Does what commands do to a scene, in one turn.
    @discardableResult
    func command<Result: Sendable>(
        _ scene: String? = nil, _ body: @escaping @Sendable (SceneCommands) throws -> Result
    ) async throws -> Result {
        try await performEvenIfUnsaved(on: scene) { try body(SceneCommands($0)) }.result
    }

    /// Does what a person does to a scene, and tells how safe that is.
    @discardableResult
    func command(
        _ scene: String? = nil,
        _ body: @escaping @Sendable (SceneCommands) throws -> PersistenceCheck
    ) async throws -> Saved {
        try await change(on: scene) { ((), try body(SceneCommands($0))) }.saved
    }

    /// Does something to the first scene, in a turn in which somebody looks at another one before.
    func command(
        lookingAt other: String, _ body: @escaping @Sendable (SceneCommands) throws -> Void
    ) async throws {
        let look = Task.immediate {
            try await self.inspect(on: other) { SceneCommands($0).picture() }
        }
        let change = Task.immediate {
            try await self.performEvenIfUnsaved { try body(SceneCommands($0)) }
        }
        _ = try await look.value
        _ = try await change.value
    }

    /// One value of an object, as `get` tells it.
    func value(_ key: String, at path: String) async throws -> StateJSON? {
        let stamp = stamp()
        return try await inspect {
            try SceneCommands($0).values(at: path, stamp: stamp)[key]
        }.result
    }

    /// What `show` prints.
    func picture(_ scene: String? = nil) async throws -> String {
        try await inspect(on: scene) { SceneCommands($0).picture() }.result
    }
}
