import ExactText
import TestSupport
import Testing

/// Texts that `String` takes for equal, and that have other bytes.
@Suite struct ExactTextTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test(arguments: EquivalentTexts.pairs) func `I5: texts with different bytes are not equal`(
        one: String, other: String
    ) {
        #expect(!(one == other))
        #expect(one != other)
        #expect(Optional(one) != other)
        #expect(!(Optional(one) == other))
        #expect(!([one] == [other]))
        #expect([one] != [other])
        #expect(![one].contains(other))
        #expect(Set([one]).contains(one) && !Set([one]).contains(other))
        #expect([one].firstIndex(of: other) == nil)
        #expect((one < other) != (other < one))
        switch one {
        case other: Issue.record("it matches")
        default: break
        }
        let keys: [ExactString: Int] = [ExactString(one): 1, ExactString(other): 2]
        #expect(keys[ExactString(one)] == 1)
        #expect(keys[ExactString(other)] == 2)
        #expect((ExactString(one) < ExactString(other)) == (one < other))
    }

    @Test(arguments: EquivalentTexts.pairs)
    func `I5: values that contain texts with different bytes are not equal`(
        one: String, other: String
    ) {
        struct Named: Hashable {
            var name: String
            var alias: String?
            var others: [String]?
        }
        let names = [
            Named(name: one), Named(name: other), Named(name: "", alias: one),
            Named(name: "", alias: other), Named(name: "", others: [one]),
            Named(name: "", others: [other]), Named(name: ""),
        ]
        #expect(Set(names).count == names.count)
        #expect(Set(names + names).count == names.count)
        #expect(!areExactlyEqual(one, other))
        #expect(!areExactlyEqual(Optional(one), other))
        #expect(!areExactlyEqual([one], [other]) && areExactlyEqual([one], [one]))
        #expect(areExactlyEqual(one, one) && areExactlyEqual(String?.none, nil))
        #expect(areExactlyEqual(1, 1) && !areExactlyEqual(1, 2))
        var counts: [ExactString: Int] = [:]
        for text in [one, other, one] { counts[text, default: 0] += 1 }
        #expect(counts[one] == 2 && counts[other] == 1)
        counts[one] = nil
        #expect(counts == [ExactString(other): 1])
    }

    @Test(arguments: ["", "a", composed, decomposed, String(repeating: "x", count: 100)])
    func `texts with the same bytes are equal, whatever their storage`(text: String) {
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(text == copy)
        #expect(!(text != copy))
        #expect(Optional(text) == copy)
        #expect([text] == [copy])
        #expect([text].contains(copy))
        #expect([text].firstIndex(of: copy) == 0)
        #expect(!(text < copy))
        #expect(ExactString(text) == ExactString(copy))
        #expect(ExactString(text).hashValue == ExactString(copy).hashValue)
        #expect(Optional(text) != nil)
        #expect(String?.none == nil)
    }

    @Test func `texts are sorted by their bytes`() {
        let texts = ["b", Self.composed, "a", Self.decomposed, ""]
        #expect(texts.sorted() == ["", "a", "b", Self.decomposed, Self.composed])
    }

    @Test func `a text is split at a separator even before a combining mark`() {
        #expect("a/\u{301}b//".parts(separatedBy: "/") == ["a", "\u{301}b", "", ""])
        #expect("".parts(separatedBy: "/") == [""])
    }
}
