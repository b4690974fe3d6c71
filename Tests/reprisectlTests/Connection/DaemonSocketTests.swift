import Testing

@testable import reprisectl

/// Advice for the case that no daemon listens on a socket.
@Suite struct DaemonSocketTests {
    private static let other =
        "start the daemon, or restart it if it runs and its socket was removed"

    @Test(arguments: [
        ("/run/reprise/control", "run 'systemctl restart reprised'"),
        ("/run/reprise@a/control", "run 'systemctl restart reprised@a'"),
        ("/run/user/1000/reprise/control", "run 'systemctl --user restart reprised'"),
        ("/run/users/1000/reprise/control", other), ("/run/other/control", other),
        ("/run/user/1000/other/control", other), ("/run/a/reprise/control", other),
        ("/run/reprise/other", other), ("/var/reprise/control", other), ("/run/control", other),
        ("", other),
    ])
    func `the advice names the systemctl command only for a unit's socket path`(
        path: String, remedy: String
    ) {
        #expect(DaemonSocket.remedy(for: path) == remedy)
    }
}
