import ArgumentParser
import FoundationEssentials
import Glibc
import Reprise
import SampleApplications
import SystemPackage

/// The daemon with the applications that ship with it.
@main
enum Reprised {
    static func main() async {
        // A log reader that went away is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is told by the write that fails.
        signal(SIGXFSZ, SIG_IGN)
        do throws(DaemonError) {
            let (options, trial) = try parseArguments()
            let daemon = Daemon(
                applications: SampleApplications.all, options: options,
                environment: ProcessInfo.processInfo.environment)
            if let trial { return check(daemon, trial) }
            Daemon.bootstrapLogging()
            try await daemon.run()
        } catch {
            error.tell(as: "reprised")
            await Daemon.answerClients(of: error)
            exit(error.kind.exitStatus)
        }
    }

    /// Nothing failed if something is wrong: whoever asked is told, and nobody else.
    private static func check(_ daemon: Daemon, _ trial: DaemonTrial) {
        do {
            write(try daemon.check(trial) + "\n")
        } catch {
            write("reprised: \(error)\n", to: .standardError)
            exit(error.kind.exitStatus)
        }
    }

    /// What the arguments state; the trial if nothing but that is asked for.
    private static func parseArguments() throws(DaemonError) -> (DaemonOptions, DaemonTrial?) {
        // As systemd starts it there is nothing to parse, and the parser takes a third of the
        // start.
        if CommandLine.argc < 2 { return (DaemonOptions(), nil) }
        for index in 1..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            throw DaemonError(arguments: "argument \(index) is not UTF-8: write it in UTF-8.")
        }
        do {
            let command = try ReprisedCommand.parse()
            return (command.options, command.isCheck ? command.trial : nil)
        } catch {
            let status = ReprisedCommand.exitCode(for: error)
            let message = ReprisedCommand.fullMessage(for: error)
            if status == .success {
                write(message + "\n")
                exit(0)
            }
            throw DaemonError(arguments: String(message.trimmingPrefix("Error: ")))
        }
    }

    private static func write(_ text: String, to descriptor: FileDescriptor = .standardOutput) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)  // Nobody is left to tell.
        }
    }
}
