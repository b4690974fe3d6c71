import FoundationEssentials
import Glibc
import LinuxIO
public import ServiceLifecycle
import SystemPackage
import Systemd
import UnixSignals

extension Daemon {
    /// The whole of a program that hosts applications: arguments, configuration, log, signals, readiness
    /// and exit status are those of `reprised`.
    ///
    /// ```swift
    /// @main enum JobRunner {
    ///     static func main() async {
    ///         await Daemon.main(
    ///             ProgramDescription(name: "jobrunner", version: "1.0"),
    ///             applications: [
    ///                 HostedApplication(bundleIdentifier: "org.example.JobRunner", bundleVersion: "1.0")
    ///             ]
    ///         ) { applications in
    ///             guard let application = applications["org.example.JobRunner"] else { return [] }
    ///             return [Worker(try await application.value("jobs", default: Jobs()))]
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// It ends at SIGTERM and SIGINT, and saves everything first. Returns after an orderly end; otherwise
    /// it ends the process: with 1 if the system does not let it run, with 2 for wrong arguments, with 78
    /// for a wrong configuration.
    ///
    /// - Parameters: as of ``init(_:applications:options:environment:services:)``.
    public static func main(
        _ program: ProgramDescription, applications: [HostedApplication],
        services: (@Sendable (ApplicationList) async throws -> [any Service])? = nil
    ) async {
        // Before anything is opened.
        Descriptors.occupyStandard()
        // A log reader that went away is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is told by the write that fails.
        signal(SIGXFSZ, SIG_IGN)
        let sockets = PassedSockets.found()
        func daemon(_ options: DaemonOptions) -> Daemon {
            Daemon(
                program, applications: applications, options: options,
                environment: ProcessInfo.processInfo.environment, endSignals: [.sigterm, .sigint],
                sockets: sockets, services: services)
        }
        do throws(DaemonError) {
            let (options, action) = try DaemonCommand.arguments(of: program)
            switch action {
            case .run: break
            case .check(let trial):
                return print(of: program) { () throws(DaemonError) in
                    try daemon(options).check(trial) + "\n"
                }
            case .printConfiguration:
                return print(of: program) { () throws(DaemonError) in
                    try daemon(options).configurationText()
                }
            }
            try requireResources()
            bootstrapLogging()
            try await daemon(options).run()
        } catch {
            error.tell(as: program.name)
            await daemon(DaemonOptions()).answerClients(of: error)
            exit(error.kind.exitStatus)
        }
    }

    private static func requireResources() throws(DaemonError) {
        do throws(StartResourcesError) {
            try StartResources.check()
        } catch {
            SystemdLogging.writeDirectly()
            throw DaemonError(error)
        }
    }

    /// Prints text that the arguments ask for. An error goes to stderr and not to the log: no daemon failed.
    private static func print(
        of program: ProgramDescription, _ text: () throws(DaemonError) -> String
    ) {
        do throws(DaemonError) {
            DaemonOutput.write(try text(), to: .standardOutput)
        } catch {
            DaemonOutput.write("\(program.name): \(error)\n", to: .standardError)
            exit(error.kind.exitStatus)
        }
    }
}

/// What a daemon writes to who started it by hand.
enum DaemonOutput {
    /// Writes a text, or ends the process: nobody is left to tell.
    static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)
        }
    }
}
