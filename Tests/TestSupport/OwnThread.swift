import Dispatch

/// Runs a body that blocks its thread, such as a synchronous call, on a thread outside the pool that runs tasks.
///
/// - Returns: The result of the body.
package func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "own thread").async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
