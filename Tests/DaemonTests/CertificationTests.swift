import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// The interface by which implementations of Varlink try each other, against that of another project
/// (`varlink` on PyPI), both ways. The program is `Examples/Certification`.
struct CertificationTests {
    private static let client = """
        import os, subprocess, sys, time, varlink, varlink.tests
        from varlink.tests import test_certification as certification
        path, program = sys.argv[1:]
        definition = os.path.dirname(varlink.tests.__file__) + "/org.varlink.certification.varlink"
        with subprocess.Popen([program, "serve", path, definition]) as server:
            while not os.path.exists(path):
                assert server.poll() is None
                time.sleep(0.01)
            certification.run_client(varlink.Client.new_with_address("unix:" + path))
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
                script, host.folder.appending("certification").string,
                try Programs.certification().string, in: host.folder)
        }
    }

    @Test func `the other project's client passes at our server`() async throws {
        let output = try await run(Self.client)
        try #require(output.hasSuffix("End: {'all_ok': True}\nCertification passed\n"), "\(output)")
    }

    @Test func `our client passes at the other project's server`() async throws {
        let output = try await run(Self.server)
        try #require(output.hasSuffix("Certification passed\n"), "\(output)")
    }
}
