import DaemonHost
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Exit statuses and output of the programs if no reply arrives or the output cannot be written.
struct ExitStatusTests {
    @Test func `a start with too little address space fails with an explanation`() async throws {
        try await Host.with { host in
            let result = try await host.attempt(
                by: ["bash", "-c", #"ulimit -v 300000 && exec "$@""#, "bash"])
            try #require(result.status == .exited(1), "\(result)")
            try #require(
                result.errors.hasPrefix(
                    "reprised: the system does not give this process enough address space ("),
                "\(result)")
        }
    }

    @Test func `the client gives up on a hanging daemon after the timeout, with exit status 5`()
        async throws
    {
        try await Host.with { host in
            try await host.run { daemon in
                let result = try await host.shell(
                    "kill -STOP \(daemon.process); $CTL --timeout 100ms get nav; status=$?; "
                        + "kill -CONT \(daemon.process); exit $status")
                try #require(result.status == .exited(5), "\(result)")
                try #require(
                    result.errors
                        == "reprisectl: The service at \"\(host.socket)\" did not respond "
                        + "within 0.1 seconds; see its log. Use --timeout to wait "
                        + "longer.\n")
                try #require(try await host.control("--timeout", "2m", "list").status.isSuccess)
            }
        }
    }

    @Test func `the client waits for an absent daemon until the timeout expires`() async throws {
        try await Host.with { host in
            let result = try await host.control("--timeout", "30ms", "status")
            try #require(result.status == .exited(3), "\(result)")
            try #require(result.errors.contains("waiting up to 1 second."))
        }
    }

    @Test(.needsRoot)
    func `a user without permission gets an error that says who has it, with exit status 4`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await host.shell(
                    "chmod o+rwx . \(host.socket.removingLastComponent()) \(host.socket); "
                        + "setpriv --reuid 65534 --regid 65534 --clear-groups "
                        + "$CTL --json status")
                try #require(result.status == .exited(4), "\(result)")
                let sentence =
                    "this user has no permission to use the daemon at \(host.socket): run the command as root, "
                    + "as the daemon's user, or as a member of the group reprise."
                try #require(result.errors == "reprisectl: \(sentence)\n")
                try #require(
                    result.output
                        == #"{"error":"org.varlink.service.PermissionDenied","message":"\#(sentence)","parameters":{}}"#
                        + "\n")
            }
        }
    }

    @Test func `a change whose reply cannot be printed is still carried out, with exit status 6`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let full = try await host.shell("$CTL type \(Paths.child1) full >/dev/full")
                try #require(full.status == .exited(6), "\(full)")
                try await host.require(child1: "full", reason: "pristine")
                let closed = try await host.shell("$CTL type \(Paths.child1) closed >&-")
                try #require(closed.status == .exited(6), "\(closed)")
                try await host.require(child1: "closed", reason: "pristine")
            }
        }
    }

    @Test func `batch and --all are carried out completely even if nothing can be printed`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let batch = try await host.shell(
                    "printf 'preserve --all -q\\ntype \(Paths.child1) one\\n"
                        + "type \(Paths.child1) two\\n' | $CTL batch --keep-going >/dev/full")
                try #require(batch.status == .exited(6), "\(batch)")
                try #require(
                    batch.errors
                        == "reprisectl: line 2: the command succeeded, but its reply "
                        + "cannot be printed: No space left on device.\n", "\(batch)")
                try await host.require(child1: "two", reason: "pristine")
                let quit = try await host.shell("$CTL quit --all >/dev/full")
                try #require(quit.status == .exited(6), "\(quit)")
                let list = try await host.mustControl("list")
                try #require(!list.contains("running"), "\(list)")
            }
        }
    }

    @Test func `a failed command keeps its exit status even if its error cannot be printed`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                for (command, status) in [
                    ("get nav/none 2>&-", 1), ("get nav/none 2>/dev/full", 1),
                    ("--json type nav/none x >/dev/full", 1), ("--json type nav/none x >&-", 1),
                    ("nothing 2>&-", 2), ("--json nothing >/dev/full", 2),
                    ("type \(Paths.child1) x 2>&-", 0),
                ] as [(String, Int32)] {
                    let result = try await host.shell("$CTL \(command)")
                    try #require(result.status == .exited(status), "\(command): \(result)")
                }
            }
        }
    }

    @Test func `with --json, errors are objects too`() async throws {
        try await Host.with { host in
            let absent = try await host.control("--json", "--timeout", "1ms", "status")
            try #require(absent.status == .exited(3))
            try #require(
                absent.output.hasPrefix(#"{"error":"noDaemon","message":"there is no socket at"#))
            try await host.run { _ in
                let refused = try await host.control("--json", "get", "a\u{9B}b\n\u{202E}c")
                try #require(refused.status == .exited(1))
                try #require(
                    refused.output
                        == #"{"error":"org.reprise.Control.NoSuchObject","message":"There is no object at a\u009bb\\n\u202ec: `reprisectl tree` shows all objects.","parameters":{"path":"a\u009bb\n\u202ec"}}"#
                        + "\n")
                try #require(refused.errors.split(separator: "\n").count == 1, "\(refused)")
            }
        }
    }

    @Test func `characters without width are escaped, and --raw prints only the text`() async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let text = "a\\n\n\u{200B}\u{3164}👩‍🚀"
                try await host.mustControl("type", Paths.child1, text)
                let shown = try await host.control("get", Paths.child1, "text")
                try #require(shown.output == "a\\n\\n\\u{200B}\\u{3164}👩‍🚀\n")
                let raw = try await host.control("get", "--raw", Paths.child1, "text")
                try #require(raw.output == text)
                let json = try await host.control("--json", "get", Paths.child1, "text")
                try #require(json.output == #"{"value":"a\\n\n\u200b\u3164👩‍🚀"}"# + "\n")
            }
        }
    }
}
