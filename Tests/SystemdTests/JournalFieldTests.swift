import Logging
import Testing

@testable import Systemd

@Suite struct JournalFieldTests {
    @Test(arguments: [
        ("MESSAGE_ID", "MESSAGE_ID"), ("REPRISE_APPLICATION", "REPRISE_APPLICATION"),
        ("scene", "SCENE"), ("request-id", "REQUEST_ID"), ("error.message", "ERROR_MESSAGE"),
        ("größe", "GR____E"), ("", "META_"), ("_PID", "META__PID"), ("1st", "META_1ST"),
        ("message", "META_MESSAGE"), ("PRIORITY", "META_PRIORITY"),
    ])
    func `a metadata key becomes a valid journal field name`(key: String, name: String) {
        #expect(JournalField.name(of: key) == name)
    }

    @Test func `every key becomes a name of at most 64 allowed bytes`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8)
        var keys = (0...0x2ff).compactMap { Unicode.Scalar($0).map { String($0) } }
        keys += [String(repeating: "x", count: 65), String(repeating: "9", count: 200)]
        for key in keys {
            let name = JournalField.name(of: key)
            #expect((1...64).contains(name.utf8.count), "\(key)")
            #expect(name.utf8.allSatisfy(allowed.contains), "\(key)")
            #expect(name.first != "_" && name.first?.isNumber == false, "\(key)")
        }
    }

    @Test func `a value preserves line feeds and every other byte`() {
        let field = JournalField("A", "one\ntwo\u{0}ö=")
        #expect(field.bytes == Array("A=one\ntwo\u{0}ö=".utf8))
    }

    @Test func `a value above the limit is truncated at a scalar and marked`() {
        let field = JournalField("A", String(repeating: "ö", count: JournalField.maximumValueBytes))
        #expect(field.value.utf8.count <= JournalField.maximumValueBytes)
        #expect(field.value.utf8.count > JournalField.maximumValueBytes - 3)
        #expect(field.value.hasSuffix("ö…"))
        let fitting = String(repeating: "x", count: JournalField.maximumValueBytes)
        #expect(JournalField("A", fitting).value == fitting)
    }

    @Test(arguments: [1, 63, 64, 65])
    func `an array becomes at most 64 fields`(count: Int) {
        let elements = (0..<count).map { Logger.MetadataValue.stringConvertible($0) }
        let fields = JournalField.fields(of: "path", .array(elements))
        #expect(fields == (0..<min(count, 64)).map { JournalField("PATH", "\($0)") })
    }

    @Test func `an array becomes a field for each element`() {
        let fields = JournalField.fields(of: "path", ["nav", "nav/parent"])
        #expect(fields == [JournalField("PATH", "nav"), JournalField("PATH", "nav/parent")])
    }
}
