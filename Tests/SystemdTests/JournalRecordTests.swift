import Logging
import Testing

@testable import Systemd

@Suite struct JournalRecordTests {
    private func record(_ metadata: Logger.Metadata = [:]) -> JournalRecord {
        let event = LogEvent(
            level: .warning, message: "late", metadata: nil, source: nil, file: "M/F.swift",
            function: "f()", line: 7)
        return JournalRecord(
            event: event, metadata: metadata, label: "reprise.saving", programName: "reprised")
    }

    @Test func `a record contains message, priority, program, logger and source location`() {
        #expect(
            record().fields == [
                JournalField("MESSAGE", "late"), JournalField("PRIORITY", "4"),
                JournalField("SYSLOG_IDENTIFIER", "reprised"),
                JournalField("LOGGER", "reprise.saving"), JournalField("CODE_FILE", "M/F.swift"),
                JournalField("CODE_LINE", "7"), JournalField("CODE_FUNC", "f()"),
            ])
    }

    @Test func `metadata fields follow, sorted by key`() {
        let fields = record(["MESSAGE_ID": "0123", "scene": "main"]).fields
        #expect(
            fields.suffix(2) == [JournalField("MESSAGE_ID", "0123"), JournalField("SCENE", "main")])
    }

    @Test func `metadata cannot change the message`() {
        let fields = record(["message": "forged", "Priority": "0"]).fields
        #expect(fields.filter { $0.name == "MESSAGE" } == [JournalField("MESSAGE", "late")])
        #expect(fields.filter { $0.name == "PRIORITY" } == [JournalField("PRIORITY", "4")])
    }

    @Test func `metadata above the limit is counted instead of sent`() {
        let pairs = (1...70).map { ("k\($0)", Logger.MetadataValue.stringConvertible($0)) }
        let fields = record(Logger.Metadata(uniqueKeysWithValues: pairs)).fields
        #expect(fields.count == 7 + JournalRecord.maximumMetadataFieldCount + 1)
        #expect(fields.last == JournalField("METADATA_LEFT_OUT", "6"))
    }

    @Test(arguments: [(0, nil), (63, nil), (64, nil), (65, "1"), (66, "2")] as [(Int, String?)])
    func `a record has at most 64 metadata fields and the number of omitted fields`(
        count: Int, leftOut: String?
    ) {
        let pairs = (0..<count).map { ("k\($0)", Logger.MetadataValue.stringConvertible($0)) }
        let fields = record(Logger.Metadata(uniqueKeysWithValues: pairs)).fields
        #expect(fields.count { $0.name.hasPrefix("K") } == min(count, 64))
        #expect(fields.first { $0.name == "METADATA_LEFT_OUT" }?.value == leftOut)
    }

    @Test func `omitted elements of an array are counted`() {
        let elements = (0..<1_000).map { Logger.MetadataValue.stringConvertible($0) }
        let fields = record(["path": .array(elements), "scene": "main"]).fields
        #expect(fields.count { $0.name == "PATH" } == 64)
        #expect(fields.last == JournalField("METADATA_LEFT_OUT", "937"))
    }

    @Test(arguments: zip(Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
    func `each level has its syslog priority`(level: Logger.Level, priority: Int) {
        #expect(level.syslogPriority == priority)
    }
}
