import Testing

@testable import PositionedYAML

@Suite struct SpellingSuggestionsTests {
    private let known = ["interval", "durability", "bytes", "count"]

    @Test(
        arguments: [
            ("intervall", "interval"), ("Interval", "interval"), ("intreval", "interval"),
            ("byte", "bytes"), ("cuont", "count"), ("durabilty", "durability"),
        ])
    func `a similar word is found`(written: String, meant: String) {
        #expect(SpellingSuggestions.closestWord(to: written, among: known) == meant)
    }

    @Test func `of several equally close words, the first word is found`() {
        #expect(SpellingSuggestions.closestWord(to: "cot", among: ["cat", "cut"]) == "cat")
        #expect(
            SpellingSuggestions.closestWord(to: "cot", among: ["xyz", "cut", "cat", "cots"])
                == "cut")
        #expect(
            SpellingSuggestions.closestWord(to: "counts", among: ["mounts", "count", "counts"])
                == "counts")
    }

    @Test(arguments: [64, 65])
    func `a word longer than the maximum length is not found`(count: Int) {
        let word = String(repeating: "a", count: count)
        let written = "b" + word.dropFirst(count - 63)
        #expect(
            SpellingSuggestions.closestWord(to: written, among: [word])
                == (count == 64 ? word : nil))
        #expect(
            SpellingSuggestions.closestWord(to: word, among: [word]) == (count == 64 ? word : nil))
    }

    @Test(arguments: ["", "x", "format", "level", "interest", String(repeating: "a", count: 65)])
    func `no word is suggested for dissimilar text`(written: String) {
        #expect(SpellingSuggestions.closestWord(to: written, among: known) == nil)
    }

    @Test func `the closest of several similar words is found`() {
        #expect(
            SpellingSuggestions.closestWord(to: "stat", among: ["start", "state", "stat"]) == "stat"
        )
    }

    @Test(arguments: [
        ("no", "on", true), ("o", "on", true), ("xy", "on", false), ("bytex", "bytes", true),
        ("bytxx", "bytes", false), ("intrvl", "interval", true), ("intvl", "interval", false),
        // Two letters count as swapped only if each of them is in the place of the other.
        ("ab", "bc", false), ("ab", "ca", false),
    ])
    func `one edit is allowed for every three letters, but at least one`(
        written: String, known: String, isClose: Bool
    ) {
        #expect(
            SpellingSuggestions.closestWord(to: written, among: [known]) == (isClose ? known : nil))
    }

    @Test func `no word is suggested for an empty text`() {
        #expect(SpellingSuggestions.closestWord(to: "", among: ["a"]) == nil)
    }
}
