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
    /// The program handles arguments, configuration, logging, signals, readiness notification and exit statuses in the
    /// same way as `reprised`.
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
    /// On SIGTERM or SIGINT, the program saves all state and stops, and the function returns. After an error, the
    /// function exits the process. The status is 2 if the arguments are invalid, 78 if the configuration is invalid, or
    /// 1 after any other error.
    ///
    /// - Parameters: See ``init(_:applications:options:environment:services:)``.
    public static func main(
        _ program: ProgramDescription, applications: [HostedApplication],
        services: (@Sendable (ApplicationList) async throws -> [any Service])? = nil
    ) async {
        // Call this before anything opens a descriptor.
        FileDescriptors.openMissingStandardDescriptors()
        // The daemon continues if the reader of its log exits.
        signal(SIGPIPE, SIG_IGN)
        // A write that exceeds the file size limit fails with an error instead of killing the process.
        signal(SIGXFSZ, SIG_IGN)
        let sockets = PassedSockets.fromEnvironment()
        func makeDaemon(_ options: DaemonOptions) -> Daemon {
            Daemon(
                program, applications: applications, options: options,
                environment: ProcessInfo.processInfo.environment,
                gracefulShutdownSignals: [.sigterm, .sigint],
                sockets: sockets, services: services)
        }
        do throws(DaemonError) {
            let (options, action) = try DaemonCommandLine.parseArguments(of: program)
            switch action {
            case .run: break
            case .check(let overrides):
                return print(of: program) { () throws(DaemonError) in
                    try makeDaemon(options).check(overrides) + "\n"
                }
            case .printConfiguration:
                return print(of: program) { () throws(DaemonError) in
                    try makeDaemon(options).configurationText()
                }
            }
            try requireResources()
            bootstrapLogging()
            try await makeDaemon(options).run()
        } catch {
            error.log(as: program.name)
            await makeDaemon(DaemonOptions()).replyToClients(with: error)
            exit(error.kind.exitStatus)
        }
    }

    private static func requireResources() throws(DaemonError) {
        do throws(StartupRequirementError) {
            try StartupRequirements.check()
        } catch {
            SystemdLogging.enableDirectWrites()
            throw DaemonError(error)
        }
    }

    /// Prints the text that the arguments request.
    ///
    /// Errors are printed to stderr but not logged, because no daemon has failed.
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

/// Output of a daemon on the terminal of the user who started it.
enum DaemonOutput {
    /// Writes text, or exits the process if the text cannot be written, because there is no other way to report the
    /// failure.
    static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)
        }
    }
}
