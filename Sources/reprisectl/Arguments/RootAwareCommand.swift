import ArgumentParser

/// Command that needs the root command, which declares all other commands.
protocol RootAwareCommand: ParsableCommand {
    /// Runs the command.
    func run(under root: any ParsableCommand.Type) throws
}

/// Command that requires one of its subcommands.
protocol CommandFamily: RootAwareCommand {}

extension CommandFamily {
    /// Fails, because the command line names no subcommand.
    ///
    /// - Throws: ``Failure`` that contains the command's help.
    func run(under root: any ParsableCommand.Type) throws {
        throw Failure(
            "Specify a command.\n\n\(root.helpMessage(for: Self.self))", status: .usage,
            isMultiline: true)
    }
}
