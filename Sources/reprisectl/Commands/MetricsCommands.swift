import ArgumentParser
import RepriseControl

/// Commands that show metrics for the daemon or for each client.
enum MetricsCommands {
    static let all: [any ParsableCommand.Type] = [MetricsCommand.self, ClientsCommand.self]
}

struct MetricsCommand: ControlCommand {
    typealias Call = MetricsCall
    static let abstract = "Prints the daemon's metrics as OpenMetrics text."

    @OptionGroup var options: DaemonScopeOptions

    @Option(
        help: ArgumentHelp(
            "The text format: openmetrics, or prometheus (an older format that node exporter "
                + "reads)."))
    var format: MetricsFormat?

    func setParameters(in call: inout Call) { call.format = format }

    func present(_ reply: Call.Reply) { Terminal.write(raw: reply.text) }
}

extension MetricsFormat: ExpressibleByArgument {}

struct ClientsCommand: ControlCommand {
    typealias Call = ClientsCall
    static let abstract =
        "Lists the connected clients with their users and call counts, and shows what each client "
        + "follows."

    @OptionGroup var options: DaemonScopeOptions

    func present(_ reply: Call.Reply) {
        if Terminal.isTerminal { return table(reply).print() }
        for client in reply.clients {
            // The process ID is 0 if the process is outside the PID namespace of the daemon.
            var line =
                client.processIdentifier == 0
                ? "a process in another PID namespace" : "process \(client.processIdentifier)"
            if let program = client.program { line += " (\(program))" }
            line += ", user \(client.user): connected for \(count(client.seconds, "second")), "
            line +=
                "\(count(client.calls, "call")), \(count(client.receivedBytes, "byte")) received, "
            line += "\(client.sentBytes) sent"
            if client.unreadBytes > 0 { line += ", \(client.unreadBytes) unread" }
            if let method = client.following { line += ", follows \(method)" }
            if let followed = client.followed { line += " of \(followed)" }
            Terminal.print(line)
        }
    }

    private func table(_ reply: Call.Reply) -> Table {
        var table = Table(
            "PROCESS", "PROGRAM", "USER", "SECONDS", "CALLS", "RECEIVED", "SENT", "UNREAD",
            "FOLLOWS", "OF")
        for client in reply.clients {
            table.add(
                client.processIdentifier == 0 ? "?" : "\(client.processIdentifier)",
                client.program ?? "", "\(client.user)",
                "\(client.seconds)", "\(client.calls)", "\(client.receivedBytes)",
                "\(client.sentBytes)", "\(client.unreadBytes)", client.following ?? "",
                client.followed ?? "",
                color: client.unreadBytes > 0 ? .red : nil)
        }
        return table
    }
}
