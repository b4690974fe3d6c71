import FoundationEssentials
import StateRecords
import Testing

@testable import StateRestoration

/// An object with one property, which must not be affected by the state of other objects.
private final class Counter: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("count") var count = 0

    init(count: Int = 0) { self.count = count }

    func restorables(_ visitor: inout some RestorableVisitor) { visitor.visit(&$count) }
}

/// State of one coder that must not reach the next object.
@Suite struct ObjectBoundaryTests {
    @Test func `P9: each object has only its own warnings, one for each large value`() {
        let coders = Coders(limits: ValueLimits(warningBytes: 50, maximumBytes: 100))
        coders.encoder.encode(Data(count: 58), forKey: "a")
        coders.encoder.encode(Data(count: 59), forKey: "b")
        #expect(
            coders.encoder.diagnostics { "nav" } == [
                .largeValue(objectPath: "nav", key: "a", bytes: 60),
                .largeValue(objectPath: "nav", key: "b", bytes: 61),
            ])
        coders.encoder.begin()
        coders.encoder.encode(1, forKey: "a")
        #expect(coders.encoder.diagnostics { "nav" } == [])
    }

    @Test func `R14: an error in one object's property is not reported for the next object`() throws
    {
        let archive = MemoryArchive()
        func launched(_ counters: [Counter]) throws -> TestScene {
            try TestScene.launched(nil, archive: archive) {
                $0.launching = { scene in
                    for (counter, name) in zip(counters, ["a", "b"]) {
                        try scene.registerObject(
                            forStateRestoration: counter,
                            restorationIdentifier: RestorationIdentifier(recorded: name))
                    }
                }
            }
        }
        let saved = [Counter(count: 1), Counter(count: 2)]
        try launched(saved).save()
        let key = try #require(archive.names.first { $0.value == "count" }?.key)
        try archive.replaceValues(at: "a", with: [UInt8(key), ValueTag.string.rawValue, 0])
        let restored = [Counter(), Counter()]
        let test = try launched(restored)
        #expect(test.unrestored == ["a: decode-failed"])
        #expect(restored.map(\.count) == [0, 2])
        withExtendedLifetime(saved) {}
    }

    @Test func `R14: a value after an invalid value cannot be decoded`() throws {
        let names = NameTable([1: "a", 2: "b"])
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        let (unknown, isTrue): (UInt8, UInt8) = (99, ValueTag.true.rawValue)
        let decoder = StateDecoder(
            source, number: RecordNumber(1), SavedValues([1, unknown, 2, isTrue]))
        #expect(throws: StateDecodingError.self) { try decoder.decode(Bool.self, forKey: "b") }
    }

    @Test func `keys of the previous object do not count as keys of the next object`() {
        let (key, other): (StaticString, StaticString) = ("key", "other")
        var keys = WrittenKeys()
        let insertedNumbers = (0...16).filter { keys.insert(UInt32($0 % 16), key) }
        #expect(insertedNumbers == Array(0..<16))
        keys.beginObject()
        let repeatedNumbers = (0..<15).map { _ in keys.matchNext(key) }
        #expect(repeatedNumbers == (0..<15).map { UInt32($0) })
        let accepted = [100, 15, 100, 15].map { keys.insert($0, other) }
        #expect(accepted == [true, true, false, false])
    }
}
