import Foundation

/// Benchmarks for how much clients that follow events slow down a client that makes changes.
@LoopActor struct FollowingMeasures {
    let run: Run
    let results: Results

    private static let observers = 100

    func measure() throws {
        let daemon = try Daemon(run, in: run.directory + "/followed")
        defer { daemon.end() }
        let load = try Load(path: daemon.control, connections: 1, Request.type)
        let time: Duration = run.isQuick ? .milliseconds(300) : .seconds(1)
        for round in 0...(run.isQuick ? 2 : 10) {
            let alone = try load.rate(for: time)
            for (title, application) in [
                ("of its application", "org.reprise.ChildViews"),
                ("of another application", "org.reprise.Scrapbook"),
            ] {
                let observers = try Followers(
                    run, daemon.control, Self.observers, "Monitor",
                    "{\"application\":\"\(application)\"}")
                let rate = try load.rate(for: time)
                try observers.end()
                if round == 0 { continue }
                let measure = Measure(
                    "Type, 1 connection, \(Self.observers) observers \(title)", .callsPerSecond)
                results.add(rate, to: measure)
                results.add(alone, to: measure, of: .peer("no observers"))
            }
        }
    }
}

/// Clients that continuously read the replies to a call.
struct Followers {
    private let process: ChildProcess
    private let input: CInt

    init(
        _ run: Run, _ control: String, _ count: Int, _ method: String, _ parameters: String
    ) throws {
        var pipe: [CInt] = [0, 0]
        try check("pipe", Glibc.pipe(&pipe))
        _ = fcntl(pipe[1], F_SETFD, FD_CLOEXEC)
        input = pipe[1]
        let request = String(
            decoding: Request.varlink("org.reprise.Control.\(method)", parameters, more: true)
                .dropLast(), as: UTF8.self)
        process = try ChildProcess(
            [run.barePeer, control, "\(count)", request, "read"], input: pipe[0])
        close(pipe[0])
        // Wait until the daemon lists all clients.
        var client = try Connection(path: control)
        defer { client.close() }
        while try client.call("Clients", "{}").components(separatedBy: "Control.\(method)").count
            <= count
        {
            usleep(10_000)
        }
    }

    /// Stops the clients.
    ///
    /// - Throws: An error if a client stopped reading prematurely.
    func end() throws {
        close(input)
        try process.wait()
    }
}
