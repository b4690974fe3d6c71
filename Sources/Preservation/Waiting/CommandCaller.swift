/// Who waits for the answers to the commands of a task.
package final class CommandCaller: Sendable {
    @TaskLocal static var current: CommandCaller?

    /// Tells whether the caller has gone. The application does not carry out a command whose turn comes after that.
    let hasGone: @Sendable () -> Bool

    /// A caller who can go.
    package init(hasGone: @escaping @Sendable () -> Bool) { self.hasGone = hasGone }

    /// Whether the caller of the commands of this task has gone.
    static var hasGone: Bool { current?.hasGone() ?? false }

    /// Gives commands for the caller.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the body runs, by default that of the function that calls.
    ///   - body: Gives the commands.
    // A task-local value of a function type, bound in another module, crashes in optimized builds of Swift 6.3.1
    // (swift_task_localValuePush). So the value is an object, and it is bound here.
    @inline(never)
    package func give<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$current.withValue(self) {
            // Without the capture, the closure would leave the executor of the caller, and return to it.
            _ = isolation
            return try await body()
        }
    }
}
