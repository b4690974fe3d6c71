/// Who waits for the answer to a command.
package enum CommandCaller {
    /// Tells whether the caller of the commands of this task has gone. The application does not carry out a command
    /// whose turn comes after that. `nil`: nobody can go.
    @TaskLocal package static var hasGone: (@Sendable () -> Bool)?
}
