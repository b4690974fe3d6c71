import ArgumentParser
import Glibc
import RepriseControl
import SystemPackage
import Varlink

/// The command line that controls a daemon.
@main
enum Reprisectl {
    static func main() {
        // A reader of the output that went away is no reason to be killed without a word.
        signal(SIGPIPE, SIG_IGN)
        checkArguments()
        do {
            var command = try ReprisectlCommand.parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            end(failure.description, status: failure.status)
        } catch {
            let message = ReprisectlCommand.fullMessage(for: error)
            if ReprisectlCommand.exitCode(for: error) == .success {
                Terminal.write(message)
                exit(0)
            }
            end(String(message.trimmingPrefix("Error: ")), status: 2)
        }
    }

    /// Arguments that are not UTF-8 would be repaired silently on the way to the parser.
    private static func checkArguments() {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            end("argument \(index) is not UTF-8: write it in UTF-8.", status: 2)
        }
    }

    private static func end(_ message: String, status: Int32) -> Never {
        Terminal.complain(message)
        exit(status)
    }
}

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

    /// Arguments that do not go together.
    init(usage description: String) {
        self.description = description
        status = 2
    }

    /// What the command itself cannot do.
    init(_ description: String) {
        self.description = description
        status = 1
    }
}
