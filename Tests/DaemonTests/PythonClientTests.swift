import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// The Varlink client of another project (`varlink` on PyPI) on the daemon's socket.
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
                path = "nav/parent/child1/textField"
                print(control.Type(path=path, text="wörld 🌍")["saved"])
                print(control.Get(path=path, key="text")["value"])
                try:
                    control.Get(path="nav/nothing")
                except varlink.VarlinkError as error:
                    print(error.error(), error.parameters()["path"])
        """

    /// Makes a Python with the client under `.build`, once: the folder appears when it is whole.
    private static let installation = """
        set -e
        [ -x "$1/bin/python" ] && exit
        rm -rf "$1.new" "$1"
        python3 -m venv "$1.new"
        "$1.new/bin/python" -m pip install --quiet --disable-pip-version-check varlink==31.0.0
        mv "$1.new" "$1"
        """

    @Test func `it reads the description, calls, and gets an error with its parameters`()
        async throws
    {
        let folder = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .removingLastComponent().appending(".build/varlink-client")
        let installed = try await Subprocess.run(
            .name("sh"), arguments: ["-c", Self.installation, "sh", folder.string],
            output: .discarded, error: .string(limit: ProgramResult.outputLimit))
        try #require(installed.terminationStatus.isSuccess, "\(installed.standardError)")
        try await Host.with { host in
            try await host.run { _ in
                let result = try await ProgramResult.of(
                    [folder.appending("bin/python").string, "-c", Self.script, host.socket.string],
                    in: host.folder)
                try #require(result.status.isSuccess, "\(result)")
                try #require(
                    result.output.split(separator: "\n") == [
                        "reprised io.systemd.service org.reprise.Control org.varlink.service",
                        "True", "written",
                        "wörld 🌍", "org.reprise.Control.NoSuchObject nav/nothing",
                    ], "\(result)")
            }
        }
    }
}
