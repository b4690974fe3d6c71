// The server and the client in docs/varlink.md. script/check-docs compares the document with these files.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "ask" {
    try await ask(at: CommandLine.arguments[2])
} else {
    try await serve(at: CommandLine.arguments.last ?? "/run/clock/socket")
}
