import ArgumentParser
import RepriseControl

/// Commands that apply to a cluster of hosts.
enum ClusterCommands {
    static let all: [any ParsableCommand.Type] = [
        ClusterCommand.self, RelocateCommand.self, DrainCommand.self,
    ]
}

struct ClusterCommand: ControlCommand {
    typealias Call = ClusterCall
    static let abstract = "Shows the hosts, etcd servers and applications of the cluster."
    static let discussion = """
        Changes that are not replicated yet are shown only for applications on this host.
        """
    static let configuration = CommandConfiguration(
        commandName: commandName, abstract: abstract, discussion: discussion,
        subcommands: [
            ClusterHistoryCommand.self, ClusterPauseCommand.self, ClusterResumeCommand.self,
            ClusterTakeCommand.self,
        ])

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
        Terminal.print(
            "cluster \(reply.cluster.name), seen from the host \(reply.cluster.host); a lease lasts "
                + "\(reply.leaseSeconds) s")
        if let problem = reply.cluster.problem { Terminal.print("  \(problem)", .red) }
        for warning in reply.cluster.warnings { Terminal.print("  \(warning)", .yellow) }
        if let pause = reply.cluster.pause { Terminal.print(pause.line) }
        var hosts = Table("HOST", "APPLICATIONS", "STATE")
        for host in reply.clusterHosts {
            hosts.add(
                host.name, "\(host.applications)",
                host.problem
                    ?? (host.draining ? "draining: takes over no applications" : "present"),
                color: host.problem == nil ? nil : .red)
        }
        hosts.print()
        Terminal.print("")
        printServers(reply.servers)
        Terminal.print("")
        printApplications(reply.applications, areOwnersKnown: reply.cluster.problem == nil)
    }

    private func printServers(_ servers: [ClusterServerDescription]) {
        var table = Table("SERVER", "ETCD", "DATABASE", "LATENCY", "STATE")
        for server in servers {
            table.add(
                server.endpoint, server.version ?? "",
                server.databaseBytes.map { oneDecimalText(Double($0) / 1_048_576) + " MiB" } ?? "",
                server.milliseconds.map { oneDecimalText($0) + " ms" } ?? "",
                server.problem ?? (server.leader ? "leader" : "follower"),
                color: server.problem == nil ? nil : .red)
        }
        table.print()
    }

    private func printApplications(
        _ applications: [ClusterApplicationDescription], areOwnersKnown: Bool
    ) {
        var table = Table("APPLICATION", "OWNER", "EPOCH", "NOT REPLICATED", "STATE")
        for application in applications {
            let ownership = application.ownership
            let state =
                ownership.host == nil
                ? (areOwnersKnown ? "runs on no host" : "its host is unknown")
                : application.running ? "running" : "not launched yet"
            table.add(
                application.application, ownership.host ?? "",
                ownership.epoch.map(String.init) ?? "",
                ownership.notReplicated.map(String.init) ?? "",
                ownership.problem.map { "\(state): \($0)" } ?? state,
                color: ownership.problem == nil && ownership.host != nil ? nil : .red)
        }
        table.print()
    }

    /// Returns a number with one decimal place.
    private func oneDecimalText(_ number: Double) -> String {
        guard let tenths = Int(exactly: (number * 10).rounded()) else { return "" }
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension TakeoverPauseDescription {
    /// Line that `status` and `cluster` print.
    var line: String {
        "automatic takeover has been paused since \(time), \(origin)"
    }

    /// Phrase that states who began the pause, on which host and why.
    var origin: String {
        (user.map { "by \($0) " } ?? "") + "on the host \(host)" + (reason.map { ": \($0)" } ?? "")
    }
}

struct ClusterHistoryCommand: ControlCommand {
    typealias Call = ClusterHistoryCall
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

    @OptionGroup var options: DaemonScopeOptions

    @Argument(help: "The application's bundle identifier. The default is all applications.")
    var application: String?

    func setParameters(in call: inout Call) { call.application = application }

    func present(_ reply: Call.Reply) {
        if reply.changes.isEmpty { return Terminal.print("no owner is recorded yet") }
        var table = Table("TIME", "APPLICATION", "FROM", "TO", "EPOCH", "REASON")
        for change in reply.changes {
            table.add(
                change.time, change.application, change.from ?? "", change.host, "\(change.epoch)",
                change.reason.rawValue)
        }
        table.print()
    }
}

struct ClusterPauseCommand: ControlCommand {
    typealias Call = ClusterPauseCall
    static let commandName = "pause"
    static let abstract = "Pauses automatic takeovers on all hosts, for example during maintenance."
    static let discussion = """
        If takeovers are already paused, this pause and its reason replace the earlier pause, which \
        the command then prints. During the pause, an application whose host is lost does not run anywhere until its host \
        returns, until you run `cluster take`, or until you run `cluster resume`. `relocate` and \
        `drain` still work.
        """

    @OptionGroup var options: DaemonScopeOptions

    @Option(help: "A text that `cluster` and `status` show with the pause.")
    var reason: String?

    func setParameters(in call: inout Call) { call.reason = reason }

    func present(_ reply: Call.Reply) {
        Terminal.print("automatic takeover is paused until you run `reprisectl cluster resume`")
        if let replaced = reply.replaced {
            Terminal.print(
                "this replaces the pause that began at \(replaced.time), \(replaced.origin)")
        }
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct ClusterResumeCommand: ControlCommand {
    typealias Call = ClusterResumeCall
    static let commandName = "resume"
    static let abstract = "Ends the pause of automatic takeovers."

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
        Terminal.print("hosts take over applications automatically again")
    }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct ClusterTakeCommand: ControlCommand {
    typealias Call = ClusterTakeCall
    static let commandName = "take"
    static let abstract = "Makes this host run an application that no host runs."
    static let discussion = """
        The command also works while automatic takeovers are paused. With --force, this host takes \
        over the application from a host that owns the application but, for example, cannot launch \
        it. The application then loses the changes that the other host has not replicated. They \
        become a generation on that host.
        """
    var isRepeatable: Bool { false }

    @OptionGroup var options: DaemonScopeOptions

    @Argument(help: "The application's bundle identifier.")
    var application: String

    @Flag(help: "Take over the application even if another host owns it.")
    var force = false

    func setParameters(in call: inout Call) {
        call.application = application
        call.force = force ? true : nil
    }

    func present(_ reply: Call.Reply) { Terminal.print("\(application) runs on this host") }

    func presentQuietly(_ reply: Call.Reply) {}
}

struct RelocateCommand: ControlCommand {
    typealias Call = RelocateCall
    static let abstract = "Moves an application to another host in the cluster."
    var isRepeatable: Bool { false }
    static let discussion = """
        The application is saved, replicated and quit on this host, and then launched on the other \
        host. `status` lists the hosts. After the move, commands for the application fail on this \
        host. The error identifies the other host.
        """

    @OptionGroup var options: DaemonScopeOptions

    @Argument(help: "The application's bundle identifier.")
    var application: String

    @Argument(help: "The host's name in the cluster.")
    var host: String

    func setParameters(in call: inout RelocateCall) {
        call.application = application
        call.host = host
    }

    func present(_ reply: Call.Reply) {
        Terminal.print("\(application) runs on \(reply.host)")
    }
}

struct DrainCommand: ControlCommand {
    typealias Call = DrainCall
    static let abstract =
        "Moves all clustered applications on this host to other hosts before maintenance."
    var isRepeatable: Bool { false }
    static let discussion = """
        Afterwards, the daemon does not take over any applications until it is restarted or you \
        run `drain --end`.
        """

    @OptionGroup var options: DaemonScopeOptions

    @Flag(help: "Allow this host to take over applications again.")
    var end = false

    func setParameters(in call: inout DrainCall) { call.end = end ? true : nil }

    func present(_ reply: Call.Reply) {
        if reply.moved.isEmpty {
            return Terminal.print(
                end
                    ? "this host can take over applications again"
                    : "no clustered application ran on this host")
        }
        for moved in reply.moved { Terminal.print("\(moved.application) runs on \(moved.host)") }
    }
}
