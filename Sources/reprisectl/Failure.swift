import ArgumentParser

/// Why a command was not carried out, and the exit status that says so.
struct Failure: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    /// - Parameter status: 1: the daemon refused, or the command itself cannot do it; 3: there is
    ///   no daemon, or no answer.
    init(_ description: String, status: Int32 = 1) {
        self.description = description
        self.status = status
    }
}

/// A command that does nothing without one of its subcommands.
protocol CommandFamily: ParsableCommand {}

extension CommandFamily {
    /// - Throws: ``MissingCommand``, as no subcommand was named.
    func run() throws { throw MissingCommand(family: Self.self) }
}

/// A command was named that does nothing by itself.
struct MissingCommand: Error {
    let family: any ParsableCommand.Type
}
