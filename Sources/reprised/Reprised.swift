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
        let (options, isCheck) = parseArguments()
        let daemon = Daemon(
            applications: SampleApplications.all, options: options,
            environment: ProcessInfo.processInfo.environment)
        do {
            if isCheck {
                write(try daemon.check() + "\n", to: .standardOutput)
                return
            }
            Daemon.bootstrapLogging()
            try await daemon.run()
        } catch {
            let kind = (error as? DaemonError)?.kind
            // The log's lines have it, too, before and after a start.
            let priority = kind == .unsaved && isatty(STDERR_FILENO) == 0 ? "<3>" : ""
            write("\(priority)reprised: \(error)\n")
            exit(kind?.exitStatus ?? 1)
        }
    }

    private static func parseArguments() -> (DaemonOptions, isCheck: Bool) {
        // As systemd starts it there is nothing to parse, and the parser takes a third of the
        // start.
        if CommandLine.argc < 2 { return (DaemonOptions(), false) }
        for index in 1..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            write("reprised: argument \(index) is not UTF-8: write it in UTF-8.\n")
            exit(2)
        }
        do {
            let command = try ReprisedCommand.parse()
            return (command.options, command.isCheck)
        } catch {
            let status = ReprisedCommand.exitCode(for: error)
            let message = ReprisedCommand.fullMessage(for: error)
            if status == .success {
                write(message + "\n", to: .standardOutput)
                exit(0)
            }
            write("reprised: \(message.trimmingPrefix("Error: "))\n")
            exit(2)
        }
    }

    private static func write(_ text: String, to descriptor: FileDescriptor = .standardError) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)  // Nobody is left to tell.
        }
    }
}
