import Dispatch

/// Runs a closure that blocks its thread, such as a synchronous call, outside the thread pool for tasks.
///
/// - Returns: The result of the closure.
package func runOnOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "own thread").async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
