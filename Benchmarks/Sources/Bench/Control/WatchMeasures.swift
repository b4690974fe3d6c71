import Foundation
import Synchronization

/// The time from the rename that puts an earlier archive in the place of the live one to the reply
/// that tells its text, beside a bare reader of inotify that only notices the rename.
@LoopActor struct WatchMeasures {
    let run: Run
    let results: Results

    func measure() throws {
        let measure = Measure("rename over an archive, until it is restored", .milliseconds)
        let daemon = try Daemon(run, in: run.folder + "/watch")
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
        let reader = try BareReader(folder: daemon.savedState)
        for round in 0...(run.isQuick ? 20 : 100) {
            let next = run.folder + "/next"
            try copies[round % 2].write(to: URL(filePath: next))
            reader.clear()
            let start = ContinuousClock.now
            try check("rename", rename(next, archive))
            var reply = ""
            repeat {
                daemon.hearOut()
                reply = try control.call("Get", "{\(Request.field),\"key\":\"text\"}")
            } while !reply.contains("\"value\":\"\(texts[round % 2])\"")
            let time = ContinuousClock.now - start
            let noticed = reader.next() - start
            // The first one warms up.
            if round > 0 {
                results.add(time.milliseconds, to: measure)
                results.add(noticed.milliseconds, to: measure, of: .limit)
            }
            _ = try control.call("Preserve", "{}")
        }
    }
}

/// A thread that does nothing but read what inotify(7) tells of a folder, and notes when a file takes
/// the name `data.archive` by a rename.
private final class BareReader: Sendable {
    private let times = Mutex<[ContinuousClock.Instant]>([])
    private let signal = DispatchSemaphore(value: 0)

    init(folder: String) throws {
        let descriptor = try check("inotify_init1", inotify_init1(CInt(IN_CLOEXEC)))
        try check("inotify \(folder)", inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)))
        DispatchQueue(label: "BareReader").async { [self] in read(descriptor) }
    }

    private func read(_ descriptor: CInt) {
        let name = Array("data.archive".utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            let now = ContinuousClock.now
            guard count > 0 else { return }
            var offset = 0
            while offset + 16 <= count {
                let length = buffer[offset..<offset + 16].withUnsafeBytes {
                    Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                }
                let found = buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }
                if Array(found) == name {
                    times.withLock { $0.append(now) }
                    signal.signal()
                }
                offset += 16 + length
            }
        }
    }

    /// When the first rename was noticed that nobody has asked for yet.
    func next() -> ContinuousClock.Instant {
        signal.wait()
        return times.withLock { $0.removeFirst() }
    }

    /// Forgets what was noticed so far.
    func clear() {
        while signal.wait(timeout: .now()) == .success { times.withLock { _ = $0.removeFirst() } }
    }
}
