import ArgumentParser
import RepriseControl
import Varlink

/// Why a command was not carried out, and the exit status that says so.
struct Failure: Error, CustomStringConvertible {
    let description: String
    let status: Int32

    /// The daemon refused.
    init(_ error: VarlinkError) {
        description = ControlError(error)?.description ?? error.description
        status = 1
    }

    /// There is no daemon, or no answer.
    init(noDaemon description: String) {
        self.description = description
        status = 3
    }

    /// What the command itself cannot do.
    init(_ description: String) {
        self.description = description
        status = 1
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
