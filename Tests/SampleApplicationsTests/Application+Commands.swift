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
        try await perform(on: scene) { try body(SceneCommands($0)) }.result
    }

    /// Does what a person does to a scene, and tells how safe that is.
    @discardableResult
    func command(
        _ scene: String? = nil, _ body: @escaping @Sendable (SceneCommands) throws -> ChangeVerdict
    ) async throws -> Saved {
        try await change(on: scene) { try body(SceneCommands($0)) }
    }

    /// One value of an object, as `get` tells it.
    func value(_ key: String, at path: String) async throws -> StateJSON? {
        let stamp = stamp()
        return try await command { try $0.values(at: path, stamp: stamp)[key] }
    }

    /// What `show` prints.
    func picture(_ scene: String? = nil) async throws -> String {
        try await command(scene) { $0.picture() }
    }
}
