import Foundation

/// Benchmarks for the size, the startup time and the memory use of the installed programs.
@LoopActor struct ProgramMeasures {
    let run: Run
    let results: Results

    func measure() async throws {
        for name in ["reprised", "reprisectl"] {
            let status = try FileManager.default.attributesOfItem(atPath: run.program(name))
            results.add(
                Double(status[.size] as? Int ?? 0) / 1e6, to: Measure("size of \(name)", .megabytes)
            )
        }
        try measureStart()
        try await measureIdle()
    }

    /// Measures the startup time of the daemon with four applications and with one application, and
    /// of a minimal program.
    private func measureStart() throws {
        let start = Measure("time from start to READY, four applications", .milliseconds)
        let above = Measure("time from start to READY, minus the C program's time", .milliseconds)
        let further = Measure(
            "time from start to READY, each additional application", .milliseconds)
        let one = "applications: [{bundleIdentifier: org.reprise.ChildViews}]"
        let socket = try NotifySocket(path: run.directory + "/notify")
        for round in 0...(run.isQuick ? 20 : 100) {
            let bare = try time {
                let peer = try ChildProcess(
                    [run.barePeer], environment: ["NOTIFY_SOCKET=\(socket.path)"])
                try socket.waitForReady()
                return peer.end
            }
            let four = try time { try Daemon(run, in: run.directory + "/four").end }
            let single = try time { try Daemon(run, in: run.directory + "/one", dropIn: one).end }
            // When the daemon starts for the first time, there is no saved state to restore.
            if round == 0 { continue }
            results.add(four, to: start)
            results.add(bare, to: start, of: .limit)
            results.add(four - bare, to: above)
            results.add((four - single) / 3, to: further)
        }
    }

    private func time(_ start: () throws -> () -> Void) rethrows -> Double {
        let began = ContinuousClock.now
        let end = try start()
        let time = (ContinuousClock.now - began).milliseconds
        end()
        return time
    }

    private func measureIdle() async throws {
        let daemon = try Daemon(run, in: run.directory + "/four")
        defer { daemon.end() }
        let redis = try RedisServer(in: run.directory + "/idle-redis", sync: "everysec")
        defer { redis.end() }
        let processes = [(Subject.ours, daemon.process), (.peer("redis-server"), redis.process)]
        let seconds = run.isQuick ? 5 : 30
        let before = try processes.map { try $0.1.voluntaryContextSwitches }
        try await Task.sleep(for: .seconds(seconds))
        for ((subject, process), before) in zip(processes, before) {
            results.add(
                Double(try ChildProcess.residentBytes(process.id)) / 1e6,
                to: Measure("memory, four idle applications", .megabytes), of: subject)
            results.add(
                Double((try process.voluntaryContextSwitches - before) * 60 / seconds),
                to: Measure("wake-ups, four idle applications", .perMinute), of: subject)
        }
        try await measureGet(daemon, redis)
    }

    /// Measures the run time of programs that read one value and exit.
    private func measureGet(_ daemon: Daemon, _ redis: RedisServer) async throws {
        let get = Measure("reprisectl get, entire process", .milliseconds)
        let words = [run.program("reprisectl"), "get", "nav/parent/child1/textField", "text"]
        let varlink = try varlinkctl().map {
            $0 + [
                "call", daemon.control, "org.reprise.Control.Get",
                "{\(Request.field),\"key\":\"text\"}",
            ]
        }
        for round in 0...(run.isQuick ? 20 : 100) {
            let target = round == 0 ? Results() : results
            try await target.time(get) {
                try ChildProcess(words, environment: ["REPRISE_SOCKET=\(daemon.control)"]).wait()
            }
            if let varlink {
                try await target.time(get, of: .peer("varlinkctl call")) {
                    try ChildProcess(varlink).wait()
                }
            }
            try await target.time(get, of: .peer("redis-cli GET")) {
                try ChildProcess(["redis-cli", "-s", redis.socket, "GET", "key"]).wait()
            }
            try await target.time(get, of: .limit) {
                try ChildProcess([run.barePeer], environment: []).wait()
            }
        }
    }

    /// Returns a command that runs Debian 13's `varlinkctl` with Debian 13's libraries, or `nil`
    /// without a container.
    private func varlinkctl() throws -> [String]? {
        if !run.hasContainer { return nil }
        let output = run.directory + "/root"
        try ChildProcess([run.repository + "/script/container", "root", "trixie"], output: output)
            .wait()
        let root = try String(contentsOfFile: output, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let libraries = try FileManager.default.contentsOfDirectory(atPath: root + "/usr/lib")
            .filter { $0.hasSuffix("-linux-gnu") }.map { "\(root)/usr/lib/\($0)" }
        let loaders = try libraries.flatMap { directory in
            try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasPrefix("ld-linux") }.map { "\(directory)/\($0)" }
        }
        guard let loader = loaders.first else { throw Failure("\(root) has no dynamic linker") }
        let directories = libraries + libraries.map { $0 + "/systemd" }
        return [
            loader, "--library-path", directories.joined(separator: ":"),
            root + "/usr/bin/varlinkctl",
        ]
    }
}
