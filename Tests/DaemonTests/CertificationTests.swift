import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// Certification interface of Varlink, tested in both directions against another implementation (`varlink` on PyPI).
///
/// The program is `Examples/Certification`.
struct CertificationTests {
    /// Script for the other project's client.
    ///
    /// The socket's file exists before the server listens. Any failure stops the server, because `Popen` would
    /// otherwise wait for it forever.
    private static let client = """
        import os, socket, subprocess, sys, time, varlink, varlink.tests
        from varlink.tests import test_certification as certification
        path, program = sys.argv[1:]
        definition = os.path.dirname(varlink.tests.__file__) + "/org.varlink.certification.varlink"

        def listens():
            with socket.socket(socket.AF_UNIX) as attempt:
                return attempt.connect_ex(path) == 0

        with subprocess.Popen([program, "serve", path, definition]) as server:
            try:
                while not listens():
                    assert server.poll() is None
                    time.sleep(0.01)
                certification.run_client(varlink.Client.new_with_address("unix:" + path))
            finally:
                server.terminate()
        """

    private static let server = """
        import subprocess, sys, threading, varlink
        from varlink.tests import test_certification as certification
        path, program = sys.argv[1:]
        with varlink.ThreadingServer("unix:" + path, certification.ServiceRequestHandler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            subprocess.run([program, "try", path], check=True)
            server.shutdown()
        """

    private func run(_ script: String) async throws -> String {
        try await Host.with { host in
            try await Python.run(
                script,
                [
                    host.directory.appending("certification").string,
                    try Programs.certification().string,
                ], in: host.directory)
        }
    }

    @Test func `the other project's certification client passes with our server`() async throws {
        let output = try await run(Self.client)
        try #require(output.hasSuffix("End: {'all_ok': True}\nCertification passed\n"), "\(output)")
    }

    @Test func `our client passes with the other project's certification server`() async throws {
        let output = try await run(Self.server)
        try #require(output.hasSuffix("Certification passed\n"), "\(output)")
    }
}
