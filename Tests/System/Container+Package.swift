import Subprocess
import SystemPackage
import Testing

extension Container {
    /// Boots a container with the packages in `/srv`, under the names that the documents use. The packages are not
    /// installed.
    ///
    /// - Parameter includesWeb: Whether the package of the web server is in `/srv`, too.
    static func withPackages(
        _ debian: Debian, hasLogins: Bool = false, includesWeb: Bool = false,
        _ body: (Container) async throws -> Void
    ) async throws {
        let packages = try await Packages.shared.value
        var installation = Installation()
        installation.hasLogins = hasLogins
        installation.add(packages.built, to: "/srv/.build/packages/reprised.deb")
        installation.add(packages.built, to: "/srv/reprised_0.1.0-1_amd64.deb")
        installation.add(packages.upgrade, to: "/srv/reprised_0.2.0-1_amd64.deb")
        if includesWeb {
            installation.add(packages.web, to: "/srv/.build/packages/reprise-web.deb")
        }
        try await withBooted(debian, installing: installation) { container in
            // The answers of a user who keeps changes to the configuration.
            try await container.shell(
                "printf '%s\\n' 'APT::Get::Assume-Yes true;' 'Dpkg::Options { \"--force-confold\"; };' "
                    + ">/etc/apt/apt.conf.d/90answers")
            try await body(container)
        }
    }

    /// Boots a container and installs the package in it.
    static func withPackageInstalled(
        _ debian: Debian, hasLogins: Bool = false, _ body: (Container) async throws -> Void
    ) async throws {
        try await withPackages(debian, hasLogins: hasLogins) { container in
            try await container.install()
            try await body(container)
        }
    }

    /// Installs the package.
    func install() async throws { try await runDocumented("install", in: "docs/install.md") }

    /// Installs the package with a higher version.
    func upgrade() async throws { try await runDocumented("upgrade", in: "docs/install.md") }

    /// Runs the commands in a document (see ``Repository/commands(_:in:)``) in `/srv`, without changes.
    ///
    /// - Returns: The output of the commands.
    @discardableResult
    func runDocumented(_ name: String, in document: String) async throws -> String {
        let commands = try Repository.commands(name, in: document)
        try #require(!commands.isEmpty)
        return try await shell("cd /srv; export DEBIAN_FRONTEND=noninteractive\n\(commands)")
    }

    /// Runs shell commands, requires that they succeed, and returns their output.
    @discardableResult
    func shell(_ lines: String) async throws -> String {
        try await run("sh", "-euc", lines).output
    }

    /// Runs clients that call the daemon continuously while a closure runs. No call may fail.
    ///
    /// - Parameters:
    ///   - commands: The arguments of `reprisectl` for each client. `@` is replaced by the number of the call.
    ///   - body: The closure. It can call `awaitCalls()` to wait for further calls.
    /// - Returns: The number of calls of each client.
    func underLoad(
        of commands: [String], _ body: (Container) async throws -> Void
    ) async throws -> [Int] {
        let client = """
            calls=0
            until [ -e /run/enough ]; do
                reprisectl -q $(echo "$0" | sed "s/@/$calls/") >/dev/null || { touch /run/enough; exit 1; }
                calls=$((calls + 1))
                echo $calls >/run/load/$1.new && mv /run/load/$1.new /run/load/$1
            done
            echo $calls
            """
        try await shell("rm -rf /run/enough /run/load; mkdir /run/load")
        return try await withThrowingTaskGroup(of: (Int, CommandResult).self) { clients in
            for (number, command) in commands.enumerated() {
                clients.addTask {
                    (number, try await attempt("sh", "-c", client, command, "\(number)"))
                }
            }
            do {
                try await awaitCalls(of: commands.count)
                try await body(self)
                try await awaitCalls(of: commands.count)
            } catch {
                try await shell("touch /run/enough")
                throw error
            }
            try await shell("touch /run/enough")
            var calls = [Int](repeating: 0, count: commands.count)
            for try await (number, result) in clients {
                try #require(result.status.isSuccess, "\(result)")
                calls[number] = try #require(Int(result.output.dropLast()), "\(result)")
            }
            return calls
        }
    }

    /// Waits until each client has made three more calls, or until a client has failed.
    func awaitCalls(of clients: Int) async throws {
        try await run(
            "timeout", "60", "sh", "-c",
            """
            for client in $(seq 0 $(($0 - 1))); do
                file=/run/load/$client
                first=$(cat $file 2>/dev/null || echo 0)
                until [ -e /run/enough ] || [ "$(cat $file 2>/dev/null || echo 0)" -ge $((first + 3)) ]; do :; done
            done
            """, "\(clients)")
    }
}
