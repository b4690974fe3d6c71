import Subprocess
import Testing

/// The package of the web server, with the systemd and apt of each release.
@Suite(.serialized) struct WebTests {
    private static let field = "nav/parent/child1/textField"

    /// Response to a request to the web server.
    private struct Response {
        let status: String
        /// Cookie that the response sets, or an empty string.
        let cookie: String
        let body: String
    }

    /// Sends a request in the container, and prints the status, the cookie and the body of the response.
    private static let client = """
        import http.client, sys
        method, path, cookie, body = sys.argv[1:]
        headers = {"Cookie": cookie, "Origin": "http://127.0.0.1:8075", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", 8075, timeout=60)
        connection.request(method, path, body or None, headers)
        response = connection.getresponse()
        print(response.status)
        print(response.headers.get("Set-Cookie", "").split(";")[0])
        print(response.read().decode())
        """

    private func send(
        _ method: String, _ path: String, cookie: String = "", body: String = "",
        in container: Container
    ) async throws -> Response {
        let result = try await CommandResult.of(
            "nsenter", "-t", container.leader, "-n", "python3", "-c", Self.client, method, path,
            cookie, body)
        let lines = result.output.split(
            separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        try #require(lines.count == 3, "\(result)")
        return Response(
            status: String(lines[0]), cookie: String(lines[1]), body: String(lines[2]))
    }

    /// Logs in with the link in the last line of a command's output, and returns the cookie.
    private func logIn(_ output: String, in container: Container) async throws -> String {
        let link = try #require(output.split(separator: "\n").last)
        try #require(link.hasPrefix("http://127.0.0.1:8075/#"), "\(output)")
        let body = "\"\(link.split(separator: "#")[1])\""
        let response = try await send("POST", "/login", body: body, in: container)
        try #require(response.status == "204", "\(response)")
        return response.cookie
    }

    /// Types a text as a browser does, and returns the status and the body of the response.
    private func type(
        _ text: String, cookie: String, in container: Container
    ) async throws -> Response {
        let operation = #""operation":{"client":"\#(text)","number":1}"#
        return try await send(
            "POST", "/operations/Type", cookie: cookie,
            body: #"{"path":"\#(Self.field)","text":"\#(text)",\#(operation)}"#, in: container)
    }

    @Test(arguments: Debian.allCases)
    func `root admits browsers to the unit's web server, and revokes their sessions`(
        debian: Debian
    ) async throws {
        try await Container.withPackages(debian, includesWeb: true) { container in
            try await container.shell("apt-get install /srv/.build/packages/reprise-web.deb")
            let state =
                "systemctl is-active reprise-web || :; systemctl is-enabled reprise-web || :"
            try #require(try await container.shell(state) == "inactive\ndisabled\n")
            try await container.install()

            let output = try await container.runDocumented("web", in: "docs/install.md")
            try #require(try await container.shell(state) == "active\nenabled\n")
            let cookie = try await logIn(output, in: container)
            let scenes = try await send("GET", "/scenes", cookie: cookie, in: container)
            try #require(
                scenes.status == "200" && scenes.body.contains("org.reprise.ChildViews"),
                "\(scenes)")
            let typed = try await type("typed", cookie: cookie, in: container)
            try #require(typed.status == "200", "\(typed)")
            try #require(try await container.control("get", Self.field, "text") == "typed\n")

            let observer = try await logIn(
                try await container.shell("reprise-web login --observe --for 1h"), in: container)
            let seen = try await send("GET", "/scenes", cookie: observer, in: container)
            try #require(seen.status == "200", "\(seen)")
            let refused = try await type("refused", cookie: observer, in: container)
            try #require(refused.status == "403", "\(refused)")
            try #require(refused.body.contains("You can observe but not change."), "\(refused)")
            try #require(try await container.control("get", Self.field, "text") == "typed\n")

            // An upgrade restarts the server, and sessions survive.
            let process = try await container.shell("systemctl show -P MainPID reprise-web")
            try await container.shell(
                "apt-get install --reinstall /srv/.build/packages/reprise-web.deb")
            try #require(try await container.shell(state) == "active\nenabled\n")
            try #require(
                try await container.shell("systemctl show -P MainPID reprise-web") != process)
            for (cookie, isRevoked) in [(cookie, false), (observer, false), (cookie, true)] {
                if isRevoked { try await container.shell("reprise-web sessions revoke --all") }
                let response = try await send("GET", "/scenes", cookie: cookie, in: container)
                try #require(response.status == (isRevoked ? "401" : "200"), "\(response)")
            }
            try #require(try await container.shell("reprise-web sessions") == "")

            try await requireClean(container)
            try await container.shell("apt-get purge reprise-web")
            try await container.shell("test ! -e /var/lib/reprise-web")
            try #require(try await container.control("get", Self.field, "text") == "typed\n")
            let failed = try await container.run("systemctl", "is-system-running")
            try #require(failed.output == "running\n")
        }
    }

    /// Requires that the unit passes systemd's checks, that only the unit's user owns its files, and that the journal
    /// contains neither warnings nor links.
    private func requireClean(_ container: Container) async throws {
        let verified = try await container.attempt(
            "systemd-analyze", "verify", "--recursive-errors=no", "--man=no", "reprise-web.service")
        try #require(verified.output + verified.errors == "", "\(verified)")
        let security = try await container.run(
            "systemd-analyze", "security", "--no-pager", "reprise-web.service")
        let level = security.output.split(separator: "\n").last?
            .split(separator: " ").compactMap { Double($0) }.first
        try #require(try #require(level) <= 1.0, "\(security)")
        let status = try await container.shell("systemctl show -P StatusText reprise-web")
        try #require(status == "Serving scenes at http://127.0.0.1:8075.\n")
        // Root and the unit's user.
        let users = try await container.shell(
            "wc -l </proc/$(systemctl show -P MainPID reprise-web)/uid_map")
        try #require(users == "2\n")
        try #require(try await container.shell("dpkg --verify reprise-web") == "")
        let foreign = try await container.shell("find /var/lib/reprise-web ! -user reprise-web")
        try #require(foreign == "")
        let journal = try await container.shell(
            "journalctl --sync; journalctl -q -p warning -u reprise-web; journalctl -q -g '8075/#' || true"
        )
        try #require(journal == "", "\(journal)")
    }
}
