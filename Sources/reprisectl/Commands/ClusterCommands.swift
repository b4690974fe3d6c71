import ArgumentParser
import RepriseControl

struct ClusterCommand: ControlCommand {
    static let abstract = "Shows the hosts, etcd servers and applications of the cluster."
    static let discussion = """
        Changes that are not replicated yet are shown only for applications on this host.
        """
    static let subcommands: [any ParsableCommand.Type] = [
        ClusterHistoryCommand.self, ClusterPauseCommand.self, ClusterResumeCommand.self,
        ClusterTakeCommand.self,
    ]

    @OptionGroup var options: CallOptions<ClusterCall>

    func present(_ reply: ClusterCall.Reply) {
        Terminal.print(
            "cluster \(reply.cluster.name), seen from the host \(reply.cluster.host); a lease lasts "
                + "\(reply.leaseSeconds) s")
        if let problem = reply.cluster.problem { Terminal.print("  \(problem)", .red) }
        for warning in reply.cluster.warnings { Terminal.print("  \(warning)", .yellow) }
        if let pause = reply.cluster.pause { Terminal.print(pause.line) }
        Table.print(
            "HOST", "APPLICATIONS", "STATE", rows: reply.clusterHosts,
            color: { $0.problem == nil ? nil : .red }
        ) { host in
            let stateText = host.draining ? "draining: takes over no applications" : "present"
            return [host.name, "\(host.applications)", host.problem ?? stateText]
        }
        Terminal.print("")
        printServers(reply.servers)
        Terminal.print("")
        printApplications(reply.applications, areOwnersKnown: reply.cluster.problem == nil)
    }

    private func printServers(_ servers: [ClusterServerDescription]) {
        Table.print(
            "SERVER", "ETCD", "DATABASE", "LATENCY", "STATE", rows: servers,
            color: { $0.problem == nil ? nil : .red }
        ) { server in
            [
                server.endpoint, server.version ?? "",
                server.databaseBytes.map { oneDecimalText(Double($0) / 1_048_576) + " MiB" } ?? "",
                server.milliseconds.map { oneDecimalText($0) + " ms" } ?? "",
                server.problem ?? (server.leader ? "leader" : "follower"),
            ]
        }
    }

    private func printApplications(
        _ applications: [ClusterApplicationDescription], areOwnersKnown: Bool
    ) {
        Table.print(
            "APPLICATION", "OWNER", "EPOCH", "NOT REPLICATED", "STATE", rows: applications,
            color: { $0.ownership.problem == nil && $0.ownership.host != nil ? nil : .red }
        ) { application in
            let ownership = application.ownership
            let stateText =
                ownership.host == nil
                ? (areOwnersKnown ? "runs on no host" : "its host is unknown")
                : application.running ? "running" : "not launched yet"
            return [
                application.application, ownership.host ?? "",
                ownership.epoch.map(String.init) ?? "",
                ownership.notReplicated.map(String.init) ?? "",
                ownership.problem.map { "\(stateText): \($0)" } ?? stateText,
            ]
        }
    }

    /// Returns a number with one decimal place.
    private func oneDecimalText(_ number: Double) -> String {
        guard let tenths = Int(exactly: (number * 10).rounded()) else { return "" }
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension TakeoverPauseDescription {
    /// Line about the pause in the output of `status` and `cluster`.
    var line: String {
        "automatic takeover has been paused since \(time), \(origin)"
    }

    /// Phrase that states who began the pause, on which host, and why.
    var origin: String {
        (user.map { "by \($0) " } ?? "") + "on the host \(host)" + (reason.map { ": \($0)" } ?? "")
    }
}

struct ClusterHistoryCommand: ControlCommand {
    static let commandName = "history"
    static let abstract = "Shows when and why applications were taken over."
    static let discussion = """
        The command lists at most 20 changes of owners for each application. The reasons are:
          started   the application had no earlier owner
          returned  the host was also the earlier owner
          moved     relocate or drain moved the application
          released  the earlier owner stopped the application
          expired   the lease of the earlier owner expired, for example because its host was lost
          taken     an operator used cluster take while no host owned it
          forced    an operator used cluster take --force
        """
    static var usesPager: Bool { true }

    @OptionGroup var options: CallOptions<ClusterHistoryCall>

    @Argument(help: "The application's bundle identifier. The default is all applications.")
    var application: String?

    var call: ClusterHistoryCall { ClusterHistoryCall(application: application) }

    func present(_ reply: ClusterHistoryCall.Reply) {
        if reply.changes.isEmpty { return Terminal.print("no owner is recorded yet") }
        Table.print(
            "TIME", "APPLICATION", "FROM", "TO", "EPOCH", "REASON", rows: reply.changes
        ) { change in
            [
                change.time, change.application, change.from ?? "", change.host, "\(change.epoch)",
                change.reason.rawValue,
            ]
        }
    }
}

struct ClusterPauseCommand: ControlCommand {
    static let commandName = "pause"
    static let abstract = "Pauses automatic takeovers on all hosts, for example during maintenance."
    static let discussion = """
        If takeovers are already paused, this pause and its reason replace the earlier pause, which \
        the command then prints. During the pause, an application whose host is lost does not run anywhere until its host \
        returns, until you run `cluster take`, or until you run `cluster resume`. `relocate` and \
        `drain` still work.
        """

    @OptionGroup var options: CallOptions<ClusterPauseCall>

    @Option(help: "A text that `cluster` and `status` show with the pause.")
    var reason: String?

    var call: ClusterPauseCall { ClusterPauseCall(reason: reason) }

    func present(_ reply: ClusterPauseCall.Reply) {
        Terminal.print("automatic takeover is paused until you run `reprisectl cluster resume`")
        if let replacedPause = reply.replaced {
            Terminal.print(
                "this replaces the pause that began at \(replacedPause.time), \(replacedPause.origin)"
            )
        }
    }
}

struct ClusterResumeCommand: ConfirmedCommand {
    static let commandName = "resume"
    static let abstract = "Ends the pause of automatic takeovers."

    @OptionGroup var options: CallOptions<ClusterResumeCall>

    var confirmation: String { "hosts take over applications automatically again" }
}

struct ClusterTakeCommand: NonrepeatableCommand, ConfirmedCommand {
    static let commandName = "take"
    static let abstract = "Makes this host run an application that no host runs."
    static let discussion = """
        The command also works while automatic takeovers are paused. With --force, this host takes \
        over the application from a host that owns the application but, for example, cannot launch \
        it. The application then loses the changes that the other host has not replicated. They \
        become a generation on that host.
        """

    @OptionGroup var options: CallOptions<ClusterTakeCall>

    @Argument(help: "The application's bundle identifier.")
    var application: String

    @Flag(help: "Take over the application even if another host owns it.")
    var force = false

    var call: ClusterTakeCall {
        ClusterTakeCall(application: application, force: force ? true : nil)
    }

    var confirmation: String { "\(application) runs on this host" }
}

struct RelocateCommand: NonrepeatableCommand, ConfirmedCommand {
    static let abstract = "Moves an application to another host in the cluster."
    static let discussion = """
        The application is saved, replicated and quit on this host, and then launched on the other \
        host. `status` lists the hosts. After the move, commands for the application fail on this \
        host. The error identifies the other host.
        """

    @OptionGroup var options: CallOptions<RelocateCall>

    @Argument(help: "The application's bundle identifier.")
    var application: String

    @Argument(help: "The host's name in the cluster.")
    var host: String

    var call: RelocateCall { RelocateCall(application: application, host: host) }

    var confirmation: String { "\(application) runs on \(host)" }
}

struct DrainCommand: NonrepeatableCommand {
    static let abstract =
        "Moves all clustered applications on this host to other hosts before maintenance."
    static let discussion = """
        Afterwards, the daemon does not take over any applications until it is restarted or you \
        run `drain --end`.
        """

    @OptionGroup var options: CallOptions<DrainCall>

    @Flag(help: "Allow this host to take over applications again.")
    var end = false

    var call: DrainCall { DrainCall(end: end ? true : nil) }

    func present(_ reply: DrainCall.Reply) {
        if reply.moved.isEmpty {
            return Terminal.print(
                end
                    ? "this host can take over applications again"
                    : "no clustered application ran on this host")
        }
        for application in reply.moved {
            Terminal.print("\(application.application) runs on \(application.host)")
        }
    }
}

extension ClusterHistoryCall: ApplicationArgumentCall {}
extension RelocateCall: ApplicationArgumentCall {}
