import SystemPackage
import Testing

/// Unit files under the systemd of each release, with a program that does nothing.
@Suite(.serialized) struct UnitTests {
    private func withUnits(
        _ debian: Debian, _ body: (Container) async throws -> Void
    ) async throws {
        var installation = Installation.units(for: debian)
        for name in MissingPrograms.names { installation.addProgram("/bin/true", named: name) }
        installation.enable("reprised.socket")
        try await Container.withBooted(debian, installing: installation, body)
    }

    @Test(arguments: Debian.allCases)
    func `systemd-analyze verify reports no problems in the units`(
        debian: Debian
    ) async throws {
        try await withUnits(debian) { container in
            let result = try await container.attempt(
                "systemd-analyze", "verify", "--recursive-errors=no", "--man=no",
                "reprised.service", "reprised.socket")
            try #require(result.output + result.errors == "", "\(result)")
        }
    }

    @Test(arguments: zip(Debian.allCases, [0.5, 0.4]))
    func `the service's exposure level is within its limit`(debian: Debian, most: Double)
        async throws
    {
        try await withUnits(debian) { container in
            let result = try await container.run(
                "systemd-analyze", "security", "--no-pager", "reprised.service")
            let level = result.output.split(separator: "\n").last?
                .split(separator: " ").compactMap { Double($0) }.first
            try #require(try #require(level) <= most, "\(result)")
        }
    }

    @Test(arguments: Debian.allCases)
    func `the socket listens from boot for root and the group reprise`(
        debian: Debian
    ) async throws {
        try await withUnits(debian) { container in
            let account = try await container.run("getent", "passwd", "reprise")
            try #require(account.output.hasSuffix(":/var/lib/reprise:/usr/sbin/nologin\n"))
            try await container.run("systemctl", "is-active", "reprised.socket")
            let access = try await container.run(
                "stat", "-c", "%F %a %U:%G", "/run/reprise/control")
            try #require(access.output == "socket 660 root:reprise\n")
        }
    }
}
