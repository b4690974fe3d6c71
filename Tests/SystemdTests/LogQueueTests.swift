import Dispatch
import Glibc
import Logging
import Synchronization
import Testing

@testable import Systemd

/// Logs with and without a reader.
@Suite(.timeLimit(.minutes(10))) struct LogQueueTests {
    /// A log that records the written lines.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        private let isRefusing = Atomic(false)

        var text: [String] { lines.withLock { $0 } }

        func refuse(_ isRefused: Bool) { isRefusing.store(isRefused, ordering: .relaxed) }

        func write(_ line: String) -> Bool {
            if isRefusing.load(ordering: .relaxed) { return false }
            lines.withLock { $0.append(line) }
            return true
        }
    }

    private let log: Log
    private let queue: LogQueue

    init() {
        let log = Log()
        self.log = log
        queue = LogQueue { log.write("\($0) lost") }
    }

    private func add(_ line: String, byteCount: Int = 1) {
        queue.add(byteCount: byteCount) { [log] in log.write(line) }
    }

    @Test func `records are written in order`() {
        for number in 1...100 { add("\(number)") }
        #expect(queue.flush(within: .seconds(600)))
        #expect(log.text == (1...100).map(String.init))
    }

    @Test func `records above the limit are counted in place, and later records are written`() {
        let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The first write blocks, like a pipe without a reader.
        queue.add(byteCount: 1) {
            begun.signal()
            end.wait()
            return true
        }
        begun.wait()
        #expect(!queue.flush(within: .zero))
        add("first", byteCount: LogQueue.maximumBytes - 1)
        add("second")
        for number in 1...3 { add("\(number)") }
        end.signal()
        #expect(queue.flush(within: .seconds(600)))
        add("last")
        #expect(queue.flush(within: .seconds(600)))
        #expect(log.text == ["first", "second", "3 lost", "last"])
    }

    @Test func `adding a record waits until the record is written`() {
        let log = log
        let queue = LogQueue(timeout: .seconds(600)) { log.write("\($0) lost") }
        for number in 1...100 {
            queue.add(byteCount: 1) { log.write("\(number)") }
            #expect(log.text.count == number)
        }
    }

    @Test func `after enableDirectWrites(), the logging thread writes`() {
        queue.enableDirectWrites()
        add("1")
        #expect(log.text == ["1"])
    }

    @Test func `records that could not be written are counted before the next one`() {
        log.refuse(true)
        add("1")
        add("2")
        #expect(queue.flush(within: .seconds(600)))
        log.refuse(false)
        add("3")
        add("4")
        #expect(queue.flush(within: .seconds(600)))
        #expect(log.text == ["2 lost", "3", "4"])
    }

    @Test func `logging to a full pipe does not block, and every line is written or counted`()
        throws
    {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (output, input) = (ends[0], ends[1])
        let queue = LogQueue { count in
            StderrLogHandler.write(Array("lost \(count)\n".utf8), to: input)
        }
        let handler = StderrLogHandler(style: .levelPrefix, queue: queue, descriptor: input)
        let logger = Logger(label: "l") { _ in handler }
        let padding = String(repeating: "x", count: 100)
        let count = 20_000
        for number in 1...count { logger.info("\(number) \(padding)") }
        let text = Mutex("")
        let reading = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: reading) {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(output, &bytes, bytes.count), count > 0 {
                text.withLock { $0 += String(decoding: bytes[..<count], as: UTF8.self) }
            }
        }
        #expect(queue.flush(within: .seconds(600)))
        close(input)
        reading.wait()
        close(output)
        let lines = text.withLock { $0 }.split(separator: "\n")
        let lost = lines.compactMap { $0.hasPrefix("lost ") ? Int($0.dropFirst(5)) : nil }
        #expect(lost.count == 1)
        #expect(lines.count - lost.count + lost.reduce(0, +) == count)
    }
}
