import StateRestoration
import TestSupport
import Testing

@Suite struct NameTableTests {
    @Test func `equal names get the same number`() {
        let names = NameTable()
        #expect(names.number(for: "text" as String) == 1)
        #expect(names.number(for: "title" as StaticString) == 2)
        #expect(names.number(for: "text" as StaticString) == 1)
        #expect(names.number(for: "title" as String) == 2)
        #expect(names.text(of: 1) == "text")
        #expect(names.text(of: 0) == nil)
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: names with different bytes get different numbers`(one: String, other: String) {
        let names = NameTable([3: one])
        #expect(names.number(for: other) == 4)
        #expect(names.number(for: one) == 3)
        #expect(names.text(of: 4).map { $0.utf8.elementsEqual(other.utf8) } == true)
    }

    @Test func `names of an archive keep their numbers, and new names get higher numbers`() {
        let names = NameTable([3: "text", 7: "title"])
        #expect(names.number(for: "text" as StaticString) == 3)
        #expect(names.existingNumber(for: "title") == 7)
        #expect(names.number(for: "new" as StaticString) == 8)
        #expect(names.consumeNewNames().map { "\($0.number) \($0.text)" } == ["8 new"])
    }

    @Test func `consumeNewNames returns each new name once`() {
        let names = NameTable()
        _ = names.number(for: "a" as String)
        #expect(names.consumeNewNames().map(\.text) == ["a"])
        #expect(names.consumeNewNames().isEmpty)
        _ = names.number(for: "a" as String)
        #expect(names.consumeNewNames().isEmpty)
    }

    @Test func `looking up a name does not assign a number to it`() {
        let names = NameTable()
        #expect(names.existingNumber(for: "missing") == nil)
        #expect(names.consumeNewNames().isEmpty)
        #expect(names.number(for: "missing" as StaticString) == 1)
        #expect(names.existingNumber(for: "missing") == 1)
    }

    @Test func `a key that consists of one Unicode scalar works like any other name`() {
        let names = NameTable()
        let key = StaticString(unicodeScalarLiteral: "x")
        #expect(names.existingNumber(for: key) == nil)
        let number = names.number(for: key)
        #expect(names.number(for: "x" as String) == number)
        #expect(names.existingNumber(for: key) == number)
    }
}
