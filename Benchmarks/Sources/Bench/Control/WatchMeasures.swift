import Foundation

/// Benchmark for the time from renaming an earlier archive over the current archive to the first
/// reply with the restored text.
///
/// The limit is the time until the inotify(7) event for the rename has been read.
@LoopActor struct WatchMeasures {
    let run: Run
    let results: Results

    func measure() throws {
        let measure = Measure(
            "time from a rename over an archive to its restoration", .milliseconds)
        let daemon = try Daemon(run, in: run.directory + "/watch")
        defer { daemon.end() }
        var control = try Connection(path: daemon.control)
        defer { control.close() }
        let archive = daemon.savedState + "/data.archive"
        let texts = ["A", "B"]
        let copies = try texts.map { text in
            _ = try control.call("Type", "{\(Request.field),\"text\":\"\(text)\"}")
            _ = try control.call("Preserve", "{}")
            return try Data(contentsOf: URL(filePath: archive))
        }
        let inotify = try check("inotify_init1", inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)))
        defer { close(inotify) }
        try check(
            "inotify", inotify_add_watch(inotify, daemon.savedState, UInt32(IN_MOVED_TO)))
        var events = [UInt8](repeating: 0, count: 4096)
        for round in 0...(run.isQuick ? 20 : 100) {
            let next = run.directory + "/next"
            try copies[round % 2].write(to: URL(filePath: next))
            while read(inotify, &events, events.count) > 0 {}
            let start = ContinuousClock.now
            try check("rename", rename(next, archive))
            try check("read", read(inotify, &events, events.count))
            let eventTime = ContinuousClock.now - start
            var reply = ""
            repeat {
                daemon.drainNotifications()
                reply = try control.call("Get", "{\(Request.field),\"key\":\"text\"}")
            } while !reply.contains("\"value\":\"\(texts[round % 2])\"")
            let time = ContinuousClock.now - start
            // The first round is a warm-up.
            if round > 0 {
                results.add(time.milliseconds, to: measure)
                results.add(eventTime.milliseconds, to: measure, of: .limit)
            }
            _ = try control.call("Preserve", "{}")
        }
    }
}
