/// The client that waits for the replies to the commands of a task.
package final class CommandCaller: Sendable {
    @TaskLocal static var current: CommandCaller?

    /// Returns whether the client has disconnected, in which case the application skips its pending commands.
    let hasGone: @Sendable () -> Bool

    /// Creates a caller that may disconnect.
    package init(hasGone: @escaping @Sendable () -> Bool) { self.hasGone = hasGone }

    /// Whether the client of the current task has disconnected.
    static var hasGone: Bool { current?.hasGone() ?? false }

    /// Runs a body whose commands belong to this caller.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the body runs, by default the actor of the calling function.
    ///   - body: Sends the commands.
    // In optimized builds of Swift 6.3.1, a task-local value of a function type that another module binds
    // crashes in swift_task_localValuePush. Therefore the value is an object, and this module binds it.
    @inline(never)
    package func give<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self) {
            // Without this capture, the closure would leave the executor of the caller and then return to it.
            _ = isolation
            return try await body()
        }
    }
}
