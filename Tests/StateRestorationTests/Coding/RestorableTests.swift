import FoundationEssentials
import StateRecords
import TestSupport
import Testing

@testable import StateRestoration

/// An object that saves all of its state through properties.
private class Note: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("text") var text = ""
    @Restorable("count") var count = 0
    @Restorable("selection") var selection: Range<Int>?
    @Restorable("style") var style = Style()
    @Restorable("draft") var draft: Style?
    @Restorable("tags") var tags: [String] = []
    var isOnlyRunning = false

    struct Style: Codable {
        var size = 12
    }

    init(_ identifier: RestorationIdentifier = "note", count: Int = 0) {
        restoration.identifier = identifier
        self.count = count
    }

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$text)
        visitor.visit(&$count)
        visitor.visit(&$selection)
        visitor.visit(&$style)
        visitor.visit(&$draft)
        visitor.visit(&$tags)
    }

    func encodeRestorableState(with coder: StateEncoder) throws {}
    func decodeRestorableState(with coder: StateDecoder) throws {}
}

private final class TitledNote: Note {
    @Restorable("title") var title = ""
    var seen: String?

    override func restorables(_ visitor: inout some RestorableVisitor) {
        super.restorables(&visitor)
        visitor.visit(&$title)
    }

    override func encodeRestorableState(with coder: StateEncoder) {
        coder.encode("second", forKey: "title")
        coder.encode(7, forKey: "own")
    }

    override func decodeRestorableState(with coder: StateDecoder) throws {
        seen = title
        #expect(try coder.decode(Int.self, forKey: "own") == 7)
    }
}

/// An object that lists neither the properties of its superclass nor all of its own properties.
private final class ForgetfulNote: Note {
    @Restorable("first") var first = 1
    @Restorable("same") var one = 1
    @Restorable("same") var other = 2

    override func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$one)
    }
}

/// A later version of a class, with other keys and types.
private final class Renamed: StateRestoring {
    let restoration = RestorationNode()
    @Restorable(
        "fraction", migratingFrom: "progress",
        by: { (percent: Int) in
            if percent < 0 { throw Refusal() }
            return Double(percent) / 100
        })
    var fraction = 0.0
    @Restorable("title", migratingFrom: "name") var title = ""
    @Restorable("level", migratingFrom: "depth") var level: Int? = nil
    var refuses = false

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$fraction)
        visitor.visit(&$title)
        visitor.visit(&$level)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        if refuses { throw Refusal() }
    }
}

/// A later version of a class, whose keys have types that are encoded in different ways.
private final class Moved: StateRestoring {
    let restoration = RestorationNode()
    @Restorable("level", migratingFrom: "depth") var level: Int? = 3
    @Restorable("style", migratingFrom: "look") var style = Note.Style()

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$level)
        visitor.visit(&$style)
    }
}

/// An object with text in every kind of value, for two Unicode spellings of the same text.
private final class Spelled: StateRestoring {
    struct Name: Codable, Equatable {
        var name: String
    }

    let restoration = RestorationNode()
    @Restorable("text") var text = ""
    @Restorable("optional") var optional: String?
    @Restorable("list") var list: [String] = []
    @Restorable("nested") var nested: [String: [String?]] = [:]
    @Restorable("keys") var keys: [String: Int] = [:]
    @Restorable("codable") var codable = Name(name: "")
    @Restorable("number") var number = 0.0

    init() { restoration.identifier = "spelled" }

    func restorables(_ visitor: inout some RestorableVisitor) {
        visitor.visit(&$text)
        visitor.visit(&$optional)
        visitor.visit(&$list)
        visitor.visit(&$nested)
        visitor.visit(&$keys)
        visitor.visit(&$codable)
        visitor.visit(&$number)
    }
}

@Suite struct RestorableTests {
    @Test(arguments: EquivalentTexts.pairs)
    func `I5: setting a property to an equal value with different bytes marks its object`(
        one: String, other: String
    ) throws {
        let object = Spelled()
        let test = TestScene(TestDelegate(nil), archive: MemoryArchive())
        try test.scene.registerObject(
            forStateRestoration: object, restorationIdentifier: "spelled")
        try test.launch()
        func marks(_ change: (Spelled) -> Void) -> Bool {
            test.save()
            change(object)
            return test.scene.needsPass
        }
        let changes: [(Spelled, String) -> Void] = [
            { $0.text = $1 }, { $0.optional = $1 }, { $0.list = [$1] },
            { $0.nested = ["a": [nil, $1]] }, { $0.keys = [$1: 1] },
            { $0.codable = Spelled.Name(name: $1) },
        ]
        for change in changes {
            #expect(marks { change($0, one) })
            #expect(!marks { change($0, one) })
            #expect(marks { change($0, other) })
            #expect(!marks { change($0, other) })
        }
        #expect(!marks { $0.number = 0 })
        #expect(marks { $0.number = -0.0 })
        #expect(!marks { $0.number = -0.0 })
    }

    @Test func `appending to an array property works in place and marks the object`() throws {
        let note = Note()
        let test = try scene([note])
        note.tags.reserveCapacity(100)
        test.save()
        #expect(!test.scene.needsPass)
        note.tags.append("first")
        let before = note.tags.withUnsafeBufferPointer { $0.baseAddress }
        for number in 0..<50 { note.tags.append("\(number)") }
        #expect(note.tags.withUnsafeBufferPointer { $0.baseAddress } == before)
        #expect(test.scene.needsPass)
    }

    @Test func `a property migrates a value that an earlier version saved under another key`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(40, forKey: "progress")
        coders.encoder.encode("old", forKey: "name")
        let renamed = Renamed()
        try coders.decoder().decodeState(of: renamed)
        #expect(renamed.fraction == 0.4)
        #expect(renamed.title == "old")
        #expect(renamed.level == nil)

        coders.encoder.encode(0.75, forKey: "fraction")
        try coders.decoder().decodeState(of: renamed)
        #expect(renamed.fraction == 0.75)
    }

    @Test func `an error lists every property that cannot be decoded and the object's own error`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(-1, forKey: "progress")
        coders.encoder.encode(7, forKey: "name")
        coders.encoder.encode(3, forKey: "level")
        let renamed = Renamed()
        renamed.refuses = true
        let error = #expect(throws: StateDecodingErrors.self) {
            try coders.decoder().decodeState(of: renamed)
        }
        #expect(
            error?.description == """
                nav: "progress" does not match the type Double: refused for the test; nav: "name" was \
                saved as integer but decoded as String; refused for the test
                """)
        #expect(renamed.level == 3)
    }

    @Test func `optional and Codable properties migrate, and migration errors name the key`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(5, forKey: "depth")
        coders.encoder.encode(Note.Style(size: 20), forKey: "look")
        let moved = Moved()
        try coders.decoder().decodeState(of: moved)
        #expect(moved.level == 5)
        #expect(moved.style.size == 20)

        for key in ["depth", "look"] {
            let forged = Coders()
            if key == "depth" {
                forged.encoder.encode("five", forKey: "depth")
            } else {
                forged.encoder.encode(7, forKey: "look")
            }
            let error = #expect(throws: (any Error).self) {
                try forged.decoder().decodeState(of: Moved())
            }
            #expect(error.map { "\($0)".contains("\"\(key)\"") } == true)
        }
    }

    @Test func `R14: exact integers decode as Double, and bytes decode as Data and as arrays`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(3, forKey: "integer")
        coders.encoder.encode(Int.max, forKey: "large")
        coders.encoder.encode([1, 2] as [UInt8], forKey: "bytes")
        coders.encoder.encode([[1], [2]] as [[UInt8]], forKey: "nested")
        coders.encoder.encode([1, 2] as [Int], forKey: "numbers")
        let decoder = coders.decoder()
        #expect(try decoder.decode(Double.self, forKey: "integer") == 3)
        #expect(throws: StateDecodingError.self) {
            try decoder.decode(Double.self, forKey: "large")
        }
        #expect(try decoder.decode([UInt8].self, forKey: "bytes") == [1, 2])
        #expect(try decoder.decode([[UInt8]].self, forKey: "nested") == [[1], [2]])
        // Values as earlier versions saved them.
        #expect(try decoder.decode([UInt8].self, forKey: "numbers") == [1, 2])
        #expect(try decoder.decode(Data.self, forKey: "bytes") == Data([1, 2]))
        #expect(try coders.values()["bytes"] == .data([1, 2]))
    }

    private func scene(_ objects: [Note], _ archive: MemoryArchive = MemoryArchive()) throws
        -> TestScene
    {
        let test = TestScene(TestDelegate(nil), archive: archive)
        for object in objects {
            try test.scene.registerObject(
                forStateRestoration: object,
                restorationIdentifier: try #require(object.restoration.identifier))
        }
        try test.launch()
        return test
    }

    @Test func `P9: listed properties are saved and restored without further code`() throws {
        let note = Note(count: 3)
        note.text = "hello"
        note.selection = 1..<4
        note.style.size = 14
        note.draft = Note.Style(size: 9)
        let test = try scene([note])
        defer { withExtendedLifetime(note) {} }
        #expect(test.save()?.diagnostics == [])
        let next = Note()
        let restored = try scene([next], test.archive)
        defer { withExtendedLifetime(next) {} }
        #expect(restored.report.unrestored == [])
        #expect(next.text == "hello")
        #expect(next.count == 3)
        #expect(next.selection == 1..<4)
        #expect(next.style.size == 14)
        #expect(next.draft?.size == 9)
    }

    @Test func `P14: setting a property to a different value marks its object`() throws {
        let note = Note()
        let test = try scene([note])
        defer { withExtendedLifetime(note) {} }
        test.save()
        #expect(!test.scene.needsPass)
        note.text = ""
        note.count = 0
        note.selection = nil
        note.tags = []
        note.isOnlyRunning = true
        #expect(!test.scene.needsPass)
        note.text = "a"
        #expect(test.scene.needsPass)
        let output = try #require(test.save())
        #expect(output.objects.map(\.header.identifier) == ["note"])
        note.text.append("b")
        #expect(test.scene.needsPass)
        test.save()
        note.selection = 1..<2
        #expect(test.scene.needsPass)
        test.save()
        note.selection = 1..<2
        #expect(!test.scene.needsPass)
        note.selection = nil
        #expect(test.scene.needsPass)
        test.save()
        note.style.size = 12
        #expect(test.scene.needsPass, "a value that cannot be compared always counts as another")
        #expect(test.save()?.isEmpty == true)
        #expect(try test.archive.values(at: "note")["text"] == .string("ab"))
    }

    @Test func `restoring a property does not mark its object`() throws {
        let note = Note(count: 5)
        let test = try scene([note])
        defer { withExtendedLifetime(note) {} }
        test.save()
        let next = Note()
        let restored = try scene([next], test.archive)
        defer { withExtendedLifetime(next) {} }
        #expect(next.count == 5)
        // The first pass of a launch is full. It writes nothing because nothing changed.
        #expect(restored.save()?.isEmpty == true)
        let saved = try test.archive.record(at: "note").values
        next.count = 6
        restored.save()
        try StateDecoder(
            SharedDecoderData(
                names: NameTable(test.archive.names), passMetadata: .test, path: { _ in "note" },
                object: { _ in nil }),
            number: RecordNumber(1), SavedValues(saved)
        ).decodeState(of: next)
        #expect(next.count == 5)
        #expect(!restored.scene.needsPass)
    }

    @Test
    func `R14: a missing key leaves the property unchanged, and a saved nil is restored as nil`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode("text", forKey: "text")
        let note = Note(count: 8)
        note.selection = 2..<3
        note.draft = Note.Style()
        try coders.decoder().decodeState(of: note)
        #expect(note.text == "text")
        #expect(note.count == 8)
        #expect(note.selection == 2..<3)
        #expect(note.draft != nil)

        let saved = Coders()
        try saved.encoder.encodeState(of: Note())
        #expect(try saved.values()["selection"] == .null)
        #expect(try saved.values()["draft"] == .null)
        try saved.decoder().decodeState(of: note)
        #expect(note.text == "")
        #expect(note.selection == nil)
        #expect(note.draft == nil)
        #expect(try saved.decoder().decode(Range<Int>.self, forKey: "selection") == nil)
    }

    @Test func `R14: a property of the wrong type is an error, and other properties are restored`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(1, forKey: "text")
        coders.encoder.encode("many", forKey: "count")
        coders.encoder.encode(4..<5, forKey: "selection")
        coders.encoder.encode("title", forKey: "title")
        coders.encoder.encode(7, forKey: "own")
        let note = TitledNote(count: 2)
        let error = #expect(throws: StateDecodingErrors.self) {
            try coders.decoder().decodeState(of: note)
        }
        #expect(
            error?.description
                == "nav: \"text\" was saved as integer but decoded as String; "
                + "nav: \"count\" was saved as String but decoded as Int")
        #expect(note.text == "")
        #expect(note.count == 2)
        #expect(note.selection == 4..<5)
        #expect(note.seen == "title", "what the object decodes itself is decoded all the same")
    }

    @Test func `properties are encoded before the object's own values and share their keys`() throws
    {
        let note = TitledNote()
        note.title = "first"
        let coders = Coders()
        try coders.encoder.encodeState(of: note)
        #expect(coders.problems == [.init("title", .keyWrittenTwice)])
        #expect(try coders.values()["title"] == .string("first"))
        let next = TitledNote()
        try coders.decoder().decodeState(of: next)
        #expect(next.seen == "first")
    }

    @Test func `P9: each pass reports unlisted properties once per class`() throws {
        let notes = [ForgetfulNote("a"), ForgetfulNote("b")]
        let test = try scene(notes + [Note("c")])
        defer { withExtendedLifetime(notes) {} }
        let output = try #require(test.save())
        let expected = [
            ("first", "first"), ("same", "other"), ("text", "text"), ("count", "count"),
            ("selection", "selection"), ("style", "style"), ("draft", "draft"),
            ("tags", "tags"),
        ].map { key, property in
            StateEncodingError(
                objectPath: "a", key: key, cause: .restorableNotListed(property: property))
        }
        #expect(StateEncodingErrorTests.all(output) == expected)
        notes[1].one = 5
        let later = try #require(test.save())
        #expect(StateEncodingErrorTests.all(later).map(\.objectPath).first == "b")
        #expect(StateEncodingErrorTests.all(later).count == expected.count)
    }

    @Test func `inspecting an object shows the values of its properties`() throws {
        let note = Note(count: 6)
        let test = try scene([note])
        defer { withExtendedLifetime(note) {} }
        test.save()
        let values = try StateInspection(test.scene).values(of: note, passMetadata: .test)
        #expect(values["count"] == .integer(6))
        #expect(values["selection"] == .null)
        #expect(values["style"] == .codable(#"{"size":12}"#))
    }
}
