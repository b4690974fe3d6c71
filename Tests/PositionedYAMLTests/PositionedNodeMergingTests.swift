import TestSupport
import Testing

@testable import PositionedYAML

@Suite struct PositionedNodeMergingTests {
    private func node(_ yaml: String, _ file: String) throws -> PositionedNode {
        try PositionedNode(yaml: Array(yaml.utf8), file: file)
    }

    @Test func `mappings are merged, and values keep the positions in their files`() throws {
        let base = try node("a: {x: 1, y: 2}\nb: [1, 2]\n", "base")
        let merged = base.merging(try node("c: 3\na:\n  y: 4\nb: [9]\n", "over"))
        guard case .mapping(let entries) = merged.content,
            case .mapping(let inner) = entries[0].value.content
        else {
            Issue.record("no mappings")
            return
        }
        #expect(entries.map(\.key) == ["a", "b", "c"])
        #expect(
            entries.map { "\($0.keyPosition) \($0.value.position)" } == [
                "base:1:1 base:1:4", "over:4:1 over:4:4", "over:1:1 over:1:4",
            ])
        #expect(inner.map { "\($0.value.position)" } == ["base:1:8", "over:3:6"])
        #expect(
            inner.map(\.value.content).last == .scalar(PositionedScalar(text: "4", isQuoted: false))
        )
    }

    @Test(arguments: EquivalentTexts.pairs) func `I5: keys with different bytes are not merged`(
        one: String, other: String
    ) throws {
        let merged = try node("\"\(one)\": 1\n", "base").merging(node("\"\(other)\": 2\n", "over"))
        guard case .mapping(let entries) = merged.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries.map { Array($0.key.utf8) } == [Array(one.utf8), Array(other.utf8)])
    }

    @Test func `lists are replaced, not merged`() throws {
        let merged = try node("b: [1, 2]\n", "base").merging(try node("b: [9]\n", "base"))
        #expect(merged == (try node("b: [9]\n", "base")))
    }

    @Test func `a key without a value replaces a mapping with null`() throws {
        let merged = try node("a: {x: 1}\n", "base").merging(try node("a:\n", "over"))
        guard case .mapping(let entries) = merged.content else {
            Issue.record("no mapping")
            return
        }
        #expect(entries[0].value.isNull)
    }

    @Test func `merging with an empty mapping changes nothing`() throws {
        let base = try node("a: {x: 1}\n", "base")
        #expect(base.merging(try node("{}\n", "over")) == base)
    }
}
