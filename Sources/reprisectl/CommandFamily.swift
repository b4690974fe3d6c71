import ArgumentParser

/// A command that does nothing without one of its subcommands.
protocol CommandFamily: ParsableCommand {}

extension CommandFamily {
    /// - Throws: ``Failure`` with the help, as no subcommand was named.
    mutating func run() throws {
        throw Failure(
            usage: "Name a command.\n\n\(ReprisectlCommand.helpMessage(for: Self.self))")
    }
}
