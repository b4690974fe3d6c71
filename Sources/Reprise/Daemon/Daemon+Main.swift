import FoundationEssentials
import Glibc
import LinuxIO
public import ServiceLifecycle
import SystemPackage
import Systemd
import UnixSignals

extension Daemon {
    /// Runs a complete program that hosts applications.
    ///
    /// The program handles arguments, configuration, logging and signals as `reprised` does. It also signals its
    /// readiness and sets its exit status as `reprised` does.
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
    /// The program stops at SIGTERM and SIGINT, after it has saved everything. The function returns after an
    /// orderly stop. Otherwise it exits the process: with status 1 if the system does not allow the daemon to run,
    /// with 2 for wrong arguments, and with 78 for a wrong configuration.
    ///
    /// - Parameters: See ``init(_:applications:options:environment:services:)``.
    public static func main(
        _ program: ProgramDescription, applications: [HostedApplication],
        services: (@Sendable (ApplicationList) async throws -> [any Service])? = nil
    ) async {
        // This call must precede everything that opens a descriptor.
        Descriptors.occupyStandard()
        // The daemon continues if the reader of its log exits.
        signal(SIGPIPE, SIG_IGN)
        // A write that exceeds the file size limit reports an error instead of ending the process.
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
            error.log(as: program.name)
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

    /// Prints text that the arguments ask for. Errors go to stderr rather than the log, because no daemon failed.
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

/// Output of a daemon to the terminal of the user who started it.
enum DaemonOutput {
    /// Writes text, or exits the process if that fails, because there is no other way to report the failure.
    static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)
        }
    }
}
