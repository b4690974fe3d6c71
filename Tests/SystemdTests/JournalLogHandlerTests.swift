import CSystemd
import Glibc
import Logging
import Synchronization
import Testing

@testable import Systemd

private struct Refused: Error {}

@Suite struct JournalLogHandlerTests {
    /// A journal that records the records sent to it, and returns a fixed result.
    private final class Journal: Sendable {
        private let recorded = Mutex<[[String]]>([])
        private let queue = LogQueue { _ in true }

        /// Records so far.
        var records: [[String]] {
            #expect(queue.flush(within: .seconds(600)))
            return recorded.withLock { $0 }
        }

        func handler(returning result: CInt = 0, fallbackDescriptor: CInt = -1) -> JournalLogHandler
        {
            JournalLogHandler(
                label: "l", programName: "i", queue: queue, fallbackDescriptor: fallbackDescriptor
            ) {
                fields in
                self.recorded.withLock { records in
                    records.append(fields.map { String(decoding: $0, as: UTF8.self) })
                }
                return result
            }
        }
    }

    @Test func `metadata of the logger, provider and call become fields, and later sources win`()
        throws
    {
        let journal = Journal()
        var handler = journal.handler()
        handler.metadataProvider = Logger.MetadataProvider { ["b": "provider", "c": "provider"] }
        var logger = Logger(label: "l") { _ in handler }
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        logger.notice("hello", metadata: ["c": "call"])
        let record = try #require(journal.records.first)
        #expect(record.suffix(3) == ["A=logger", "B=provider", "C=call"])
        #expect(record.contains("CODE_FUNC=\(#function)"))
        #expect(record.contains("PRIORITY=5"))
    }

    @Test func `an error attached to an event has its own fields`() throws {
        let journal = Journal()
        Logger(label: "l") { _ in journal.handler() }.error("no", error: Refused())
        let record = try #require(journal.records.first)
        #expect(record.contains("ERROR_MESSAGE=Refused()"))
        #expect(record.contains { $0.hasPrefix("ERROR_TYPE=") && $0.hasSuffix("Refused") })
    }

    @Test func `a record that the journal refuses is written to standard error`() throws {
        let pipe = try MessagePipe()
        let journal = Journal()
        let handler = journal.handler(returning: -EMSGSIZE, fallbackDescriptor: pipe.input)
        Logger(label: "l") { _ in handler }.error("no", metadata: ["a": "b"])
        #expect(journal.records.count == 1)
        #expect(pipe.pieces() == ["<3>no a=b\n"])
    }

    @Test(arguments: [(CInt(0), true), (1, true), (-ENOENT, false)])
    func `a loss is a separate record, which counts as written if the journal accepts it`(
        result: CInt, isWritten: Bool
    ) {
        var records: [[String]] = []
        let outcome = JournalLogHandler.writeLostRecordCount(7, programName: "i") { fields in
            records.append(fields.map { String(decoding: $0, as: UTF8.self) })
            return result
        }
        #expect(outcome == isWritten)
        #expect(
            records == [
                [
                    "MESSAGE=\(LogLine.lostRecordsMessage(of: 7))", "PRIORITY=4",
                    "SYSLOG_IDENTIFIER=i",
                    "LOST_RECORDS=7",
                ]
            ])
    }

    @Test func `each field of a record is sent as one vector`() {
        let fields = ["A=one\ntwo", "", "B=\u{0}", "C=ö"].map { Array($0.utf8) }
        var sent: [[UInt8]] = []
        let result = JournalLogHandler.withVectors(of: fields) { vectors in
            sent = vectors.map {
                Array(UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len))
            }
            return 3
        }
        #expect(result == 3)
        #expect(sent == fields)
    }

    @Test func `a record that the journal accepts is not written to standard error`() throws {
        let pipe = try MessagePipe()
        let journal = Journal()
        let handler = journal.handler(fallbackDescriptor: pipe.input)
        Logger(label: "l") { _ in handler }.error("no")
        #expect(journal.records.count == 1)
        #expect(pipe.pieces() == [])
    }
}
