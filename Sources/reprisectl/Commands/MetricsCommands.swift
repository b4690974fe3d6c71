import ArgumentParser
import RepriseControl

struct MetricsCommand: ControlCommand {
    static let abstract = "Prints the daemon's metrics as OpenMetrics text."

    @OptionGroup var options: CallOptions<MetricsCall>

    @Option(
        help: ArgumentHelp(
            "The text format: openmetrics, or prometheus (an older format that node exporter "
                + "reads)."))
    var format: MetricsFormat?

    var call: MetricsCall { MetricsCall(format: format) }

    func present(_ reply: MetricsCall.Reply) { Terminal.write(raw: reply.text) }
}

extension MetricsFormat: ExpressibleByArgument {}

struct ClientsCommand: ControlCommand {
    static let abstract =
        "Lists the connected clients with their users and call counts, and shows what each client "
        + "follows."

    @OptionGroup var options: CallOptions<ClientsCall>

    func present(_ reply: ClientsCall.Reply) {
        if Terminal.isTerminal {
            return Table.print(
                "PROCESS", "PROGRAM", "USER", "SECONDS", "CALLS", "RECEIVED", "SENT", "UNREAD",
                "FOLLOWS", "OF", rows: reply.clients, color: { $0.unreadBytes > 0 ? .red : nil }
            ) { client in
                [
                    client.processIdentifier == 0 ? "?" : "\(client.processIdentifier)",
                    client.program ?? "", "\(client.user)", "\(client.seconds)",
                    "\(client.calls)", "\(client.receivedBytes)", "\(client.sentBytes)",
                    "\(client.unreadBytes)", client.following ?? "", client.followed ?? "",
                ]
            }
        }
        for client in reply.clients {
            // The process ID is 0 if the process is outside the PID namespace of the daemon.
            var line =
                client.processIdentifier == 0
                ? "a process in another PID namespace" : "process \(client.processIdentifier)"
            if let program = client.program { line += " (\(program))" }
            line +=
                ", user \(client.user): connected for \(countPhrase(client.seconds, "second")), "
            line +=
                "\(countPhrase(client.calls, "call")), \(countPhrase(client.receivedBytes, "byte")) received, "
            line += "\(client.sentBytes) sent"
            if client.unreadBytes > 0 { line += ", \(client.unreadBytes) unread" }
            if let method = client.following { line += ", follows \(method)" }
            if let followed = client.followed { line += " of \(followed)" }
            Terminal.print(line)
        }
    }
}
