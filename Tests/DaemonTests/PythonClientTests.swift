import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Varlink client of another project (`varlink` on PyPI) on the daemon's socket.
struct PythonClientTests {
    private static let script = """
        import sys, varlink
        with varlink.Client.new_with_address("unix:" + sys.argv[1]) as client:
            with client.open("org.varlink.service") as service:
                info = service.GetInfo()
                print(info["product"], *info["interfaces"])
                text = service.GetInterfaceDescription("org.reprise.Control")["description"]
                print("interface org.reprise.Control" in text)
            with client.open("org.reprise.Control") as control:
                monitor = client.open("org.reprise.Control").Monitor(kinds=["changed"], _more=True)
                print(next(monitor).get("event"))
                path = "nav/parent/child1/textField"
                print(control.Type(path=path, text="wörld 🌍")["saved"])
                print(control.Get(path=path, key="text")["value"])
                print(*sorted({next(monitor)["event"]["path"] for _ in range(2)}))
                try:
                    control.Get(path="nav/nothing")
                except varlink.VarlinkError as error:
                    print(error.error(), error.parameters()["path"])
        """

    @Test
    func
        `a Python client can read the description, call, follow events, and decode error parameters`()
        async throws
    {
        try await Host.with { host in
            try await host.run { _ in
                let output = try await Python.run(
                    Self.script, [host.socket.string], in: host.directory)
                try #require(
                    output.split(separator: "\n") == [
                        "reprised io.systemd.service org.reprise.Control org.varlink.service",
                        "True", "None", "written", "wörld 🌍",
                        "nav/parent/child1 nav/parent/child1/textField",
                        "org.reprise.Control.NoSuchObject nav/nothing",
                    ], "\(output)")
            }
        }
    }
}
