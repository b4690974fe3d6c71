import DaemonHost
import Glibc
import Subprocess
import SystemPackage
import Testing

/// Metrics of the daemon, read by a parser of another project (`prometheus-client` on PyPI).
struct MetricsTests {
    /// Script that prints each sample that the OpenMetrics parser and the parser of the older format find in a text.
    ///
    /// Node exporter also uses the older format.
    private static let script = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict
        from prometheus_client.parser import text_string_to_metric_families as old
        text = open(sys.argv[1]).read()
        samples = [sample for family in strict(text) for sample in family.samples]
        assert len(samples) == len([s for family in old(text) for s in family.samples])
        for sample in samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            print(f"{sample.name}{{{labels}}} {sample.value:g}")
        """

    /// Script that prints the type of each family that the parser of the older format finds.
    private static let typesScript = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(open(sys.argv[1]).read()):
            print(family.name, family.type)
        """

    private static let childViews = "application=org.reprise.ChildViews"

    @Test func `metrics are valid OpenMetrics and count what the daemon did`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                for text in ["a", "b", "c"] {
                    try await host.mustControl("type", Paths.child1, text)
                }
                try await host.mustControl("get", Paths.child1)
                // The first command is refused. The second command waits for the launch of its scene, and runs once.
                _ = try await host.control("--scene", "none", "type", Paths.child1, "d")
                try await host.mustControl("open", "other")
                try await host.mustControl("close", "other")
                try await host.mustControl("--scene", "other", "type", Paths.child1, "e")
                try await host.mustControl("close", "other")
                try await host.mustControl("preserve")
                let file = host.directory.appending("metrics")
                let text = try await host.control("metrics")
                try #require(text.output.hasSuffix("# EOF\n"))
                try file.write(text.output.utf8)
                let samples = try await Python.run(Self.script, [file.string], in: host.directory)
                    .split(separator: "\n").map(String.init)
                for expected in [
                    "reprise_build_info{version=0.1.0} 1",
                    "reprise_application_running{\(Self.childViews)} 1",
                    "reprise_saved{\(Self.childViews)} 1",
                    "reprise_changes_total{\(Self.childViews)} 5",
                    "reprise_calls_total{method=org.reprise.Control.Type} 5",
                    "reprise_launches_total{\(Self.childViews),reason=pristine} 2",
                    "reprise_launches_total{\(Self.childViews),reason=recover} 0",
                    "reprise_not_durable_writes{\(Self.childViews)} 0",
                    "reprise_refused_total{} 0", "reprise_connections{} 1",
                    "reprise_scenes_launched{\(Self.childViews)} 1",
                ] {
                    try #require(samples.contains(expected), "\(expected): \(samples)")
                }
                let synced = samples.filter {
                    $0.hasPrefix("reprise_sync_seconds_bucket{\(Self.childViews),le=+Inf}")
                }
                try #require(synced.count == 1 && !synced[0].hasSuffix(" 0"), "\(synced)")
            }
        }
    }

    @Test
    func `the metrics file is readable by all from the start, and a write failure is logged once`()
        async throws
    {
        try await Host.with { host in
            let file = host.directory.appending("reprise.prom")
            try host.replace("file: null", by: "file: \(file)", in: host.configuration)
            try await host.run { _ in
                try await host.awaitOutput("status") { _ in
                    (try? file.text())?.contains("reprise_sync_seconds_sum") == true
                }
                let mode = try await ProgramResult.of(
                    ["stat", "-c", "%a", file.string], in: host.directory)
                try #require(mode.output == "644\n", "\(mode)")
                try await Self.requireTypes(in: file, host)
                let printed = try await host.control("metrics", "--format", "prometheus")
                try file.write(printed.output.utf8)
                try await Self.requireTypes(in: file, host)
            }
            try host.replace("\(file)", by: "/nowhere/reprise.prom", in: host.configuration)
            let end = try await host.run { _ in try await host.mustControl("status") }
            let warnings = end.log.split(separator: "\n").filter { $0.contains("/nowhere") }
            try #require(
                warnings.count == 1 && warnings[0].contains("the metrics could not be written"),
                "\(end.log)")
        }
    }

    /// Requires a type for each family of a text in the older format.
    private static func requireTypes(in file: FilePath, _ host: Host) async throws {
        let types = try await Python.run(typesScript, [file.string], in: host.directory)
            .split(separator: "\n")
        try #require(types.contains("reprise_changes counter"), "\(types)")
        try #require(types.contains("reprise_sync_seconds histogram"), "\(types)")
        try #require(!types.isEmpty && !types.contains { $0.hasSuffix(" unknown") }, "\(types)")
    }

    @Test func `clients shows what each client did and follows`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let socket = try RawSocket(host.socket)
                try socket.send(
                    Array((#"{"method":"org.reprise.Control.Monitor","more":true}"# + "\0").utf8))
                _ = try socket.receive()
                let clients = try await host.control("clients")
                let lines = clients.output.split(separator: "\n")
                try #require(lines.count == 2, "\(clients)")
                try #require(
                    lines[0].contains("1 call, ")
                        && lines[0].hasSuffix("follows org.reprise.Control.Monitor"), "\(clients)")
                try #require(
                    lines[1].contains(
                        "(reprisectl), user \(geteuid()): connected for 0 seconds, 1 call, "),
                    "\(clients)")
            }
        }
    }
}
