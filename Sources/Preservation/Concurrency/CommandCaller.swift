/// Client that is waiting for the replies to a task's commands.
package final class CommandCaller: Sendable {
    @TaskLocal static var current: CommandCaller?

    /// Closure that returns whether the client has disconnected. Waiting commands of a disconnected client do not run.
    let hasDisconnected: @Sendable () -> Bool

    /// Creates a caller from a function that returns whether the client has disconnected.
    package init(hasDisconnected: @escaping @Sendable () -> Bool) {
        self.hasDisconnected = hasDisconnected
    }

    /// Whether the client of the current task has disconnected.
    static var hasDisconnected: Bool { current?.hasDisconnected() ?? false }

    /// Runs a closure, and attributes the commands that it sends to this caller.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the closure runs. The default is the actor of the calling function.
    ///   - body: A closure that sends the commands.
    // In optimized builds of Swift 6.3.1, binding a task-local value of a function type in another module crashes in
    // swift_task_localValuePush. The value is therefore an object, and this module binds it.
    @inline(never)
    package func performAsCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self) {
            // Without this capture, the closure would leave the caller's executor and return to it later.
            _ = isolation
            return try await body()
        }
    }
}
