import Foundation

/// Benchmarks for calls to the control interface.
///
/// The connection itself handles `GetInfo`. `Type` changes an application, and the daemon replies
/// when the change is written or durable.
@LoopActor struct ControlMeasures {
    let run: Run
    let results: Results

    private static let connections = 50

    func measure() throws {
        let daemon = try Daemon(run, in: run.directory + "/control")
        defer { daemon.end() }
        let durable = try Daemon(
            run, in: run.directory + "/commit", dropIn: "preservation: {durability: commit}")
        defer { durable.end() }
        let redis = try RedisServer(in: run.directory + "/redis", sync: "everysec")
        defer { redis.end() }
        let always = try RedisServer(in: run.directory + "/redis-always", sync: "always")
        defer { always.end() }
        let path = run.directory + "/echo"
        let echo = try ChildProcess([run.barePeer, path])
        defer { echo.end() }
        try Connection.waitForServer(at: path)

        let type = try load(daemon.control, Request.type)
        let echoed = try load(path, Request.type)
        let set = try load(redis.socket, end: UInt8(ascii: "\n"), Request.set)
        var info = [
            (Subject.ours, try load(daemon.control) { _ in Request.getInfo }),
            (.limit, try load(path) { _ in Request.getInfo }),
        ]
        var debian: DebianContainer?
        if run.hasContainer {
            let container = try DebianContainer(run)
            debian = container
            info.append(
                (
                    .peer("systemd-hostnamed"),
                    Load(try container.connections(run, count: Self.connections)) { _ in
                        Request.getInfo
                    }
                ))
        }
        try measure("GetInfo", info)
        try measure(
            "Type",
            [
                (.ours, type), (.limit, echoed), (.peer("GetInfo"), info[0].1),
                (.peer("Redis SET, everysec"), set),
            ])
        info = []
        try measureConnecting(daemon.control, debian)
        try debian?.end()
        try measureDurable([
            (.ours, try load(durable.control, Request.type)),
            (
                .peer("Redis SET, always"),
                try load(always.socket, end: UInt8(ascii: "\n"), Request.set)
            ),
        ])
    }

    private func load(
        _ path: String, end: UInt8 = 0, _ request: @escaping (Int) -> [UInt8]
    ) throws -> Load {
        try Load(path: path, end: end, connections: Self.connections, request)
    }

    /// Measures the latency and the throughput of several loads.
    ///
    /// The method switches to the next load after a hundred calls. Other activity on the machine
    /// therefore affects all loads equally, and every load is warm when it is measured.
    private func measure(_ name: String, _ loads: [(Subject, Load)]) throws {
        let single = Measure("\(name), 1 connection", .microseconds)
        let pipelined = Measure("\(name), 1 connection, pipeline of 16", .callsPerSecond)
        let many = Measure("\(name), \(Self.connections) connections", .callsPerSecond)
        for round in 0...(run.isQuick ? 10 : 100) {
            for (subject, load) in loads {
                let times = try (0..<100).map { _ in try load.time().microseconds }
                let rates = try (0..<20).map { _ in try load.rate(pipelining: 16) }
                if round == 0 { continue }
                for time in times {
                    results.add(time, to: single, of: subject)
                    results.add(time, to: single.p99, of: subject)
                }
                for rate in rates { results.add(rate, to: pipelined, of: subject) }
            }
        }
        for _ in 0..<5 {
            for (subject, load) in loads {
                results.add(
                    try load.rate(for: run.isQuick ? .milliseconds(300) : .seconds(1)), to: many,
                    of: subject)
            }
        }
    }

    /// Measures calls that each use a new connection.
    ///
    /// A C program makes the calls, because it can run in the PID namespace of a container.
    private func measureConnecting(_ control: String, _ debian: DebianContainer?) throws {
        let connecting = Measure("GetInfo, one connection per call", .microseconds)
        let output = run.directory + "/connecting"
        let request = String(decoding: Request.getInfo.dropLast(), as: UTF8.self)
        var callers: [(Subject, [String])] = [(.ours, [run.barePeer, control])]
        if let debian {
            callers.append(
                (
                    .peer("systemd-hostnamed"),
                    debian.enterCommand + [run.barePeer, debian.hostnamed]
                ))
        }
        for round in 0...(run.isQuick ? 5 : 50) {
            for (subject, words) in callers {
                try ChildProcess(words + ["200", request], output: output).wait()
                let text = try String(contentsOfFile: output, encoding: .utf8)
                guard let time = Double(text.trimmingCharacters(in: .newlines)) else {
                    throw Failure("BarePeer printed \(text)")
                }
                if round > 0 { results.add(time, to: connecting, of: subject) }
            }
        }
    }

    private func measureDurable(_ loads: [(Subject, Load)]) throws {
        let single = Measure("Type, durable, 1 connection", .microseconds)
        let many = Measure("Type, durable, \(Self.connections) connections", .callsPerSecond)
        let file = try BareFile(path: run.directory + "/bare")
        let bytes = Request.set(0)
        for _ in 0..<(run.isQuick ? 100 : 1000) {
            for (subject, load) in loads {
                results.add(try load.time().microseconds, to: single, of: subject)
            }
            let start = ContinuousClock.now
            try bytes.withUnsafeBytes(file.append)
            try file.synchronize()
            results.add((ContinuousClock.now - start).microseconds, to: single, of: .limit)
        }
        for _ in 0..<5 {
            for (subject, load) in loads {
                results.add(
                    try load.rate(for: run.isQuick ? .milliseconds(300) : .seconds(1)), to: many,
                    of: subject)
            }
        }
    }
}
