import StateRestoration
import TestSupport
import Testing

@Suite struct NameTableTests {
    @Test func `a name is numbered once`() {
        let names = NameTable()
        #expect(names.number(for: "text" as String) == 1)
        #expect(names.number(for: "title" as StaticString) == 2)
        #expect(names.number(for: "text" as StaticString) == 1)
        #expect(names.number(for: "title" as String) == 2)
        #expect(names.text(of: 1) == "text")
        #expect(names.text(of: 0) == nil)
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: names with other bytes have other numbers`(one: String, other: String) {
        let names = NameTable([3: one])
        #expect(names.number(for: other) == 4)
        #expect(names.number(for: one) == 3)
        #expect(names.text(of: 4).map { $0.utf8.elementsEqual(other.utf8) } == true)
    }

    @Test func `names of an archive keep their numbers, and new ones follow`() {
        let names = NameTable([3: "text", 7: "title"])
        #expect(names.number(for: "text" as StaticString) == 3)
        #expect(names.existingNumber(for: "title") == 7)
        #expect(names.number(for: "new" as StaticString) == 8)
        #expect(names.consumeNewNames().map { "\($0.number) \($0.text)" } == ["8 new"])
    }

    @Test func `new names are handed out once`() {
        let names = NameTable()
        _ = names.number(for: "a" as String)
        #expect(names.consumeNewNames().map(\.text) == ["a"])
        #expect(names.consumeNewNames().isEmpty)
        _ = names.number(for: "a" as String)
        #expect(names.consumeNewNames().isEmpty)
    }

    @Test func `looking for a name does not number it`() {
        let names = NameTable()
        #expect(names.existingNumber(for: "missing") == nil)
        #expect(names.consumeNewNames().isEmpty)
        #expect(names.number(for: "missing" as StaticString) == 1)
        #expect(names.existingNumber(for: "missing") == 1)
    }

    @Test func `a key of one scalar is a name like any other`() {
        let names = NameTable()
        let key = StaticString(unicodeScalarLiteral: "x")
        #expect(names.existingNumber(for: key) == nil)
        let number = names.number(for: key)
        #expect(names.number(for: "x" as String) == number)
        #expect(names.existingNumber(for: key) == number)
    }
}
