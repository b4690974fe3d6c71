import PositionedYAML
import TestSupport
import Testing

@Suite struct MappingReaderTests {
    private let log = ProblemLog()

    /// Reads text, and returns the closure's result and the problems.
    private func read<Result>(
        _ yaml: String, _ body: (MappingReader) -> Result
    ) throws -> (result: Result?, problems: [String]) {
        let node = try PositionedNode(yaml: Array(yaml.utf8), file: "f")
        let result = node.readMapping("", log: log, body)
        do {
            try log.throwReportedProblems()
            return (result, [])
        } catch {
            return (result, error.errors.map(\.description))
        }
    }

    @Test func `every key that was not requested is reported as unknown`() throws {
        let (_, problems) = try read("one: 1\ntwoo: 2\nelse: 3\n") { reader in
            (reader.value("one", .integer, default: 0), reader.optionalValue("two", .integer))
        }
        #expect(
            problems == [
                "f:2:1: the key \"twoo\" is unknown: did you mean \"two\"?",
                "f:3:1: the key \"else\" is unknown: remove it; the keys allowed here are one, two.",
            ])
    }

    @Test(arguments: EquivalentTexts.pairs) func `I5: keys with different bytes are different keys`(
        one: String, other: String
    ) throws {
        let (result, problems) = try read("\"\(one)\": 1\n\"\(other)\": 2\n") { reader in
            reader.value(one, .integer, default: 0)
        }
        #expect(result == 1)
        #expect(problems.count == 1 && problems[0].hasPrefix("f:2:1: the key"))
    }

    @Test func `a missing required value is reported at its mapping`() throws {
        let (result, problems) = try read("top:\n  other: 1\n") { reader in
            reader.mapping("top") { inner in
                _ = inner.entry("other")
                return inner.requiredValue("class", .string)?.value
            }
        }
        #expect(result == .some(.some(nil)))
        #expect(
            problems == [
                "f:2:3: the key \"class\" is missing in top: write it with its value."
            ])
    }

    @Test func `a required value that is null is reported at its own position`() throws {
        let (_, problems) = try read("class: ~\n") { $0.requiredValue("class", .string) }
        #expect(problems == ["f:1:8: class is empty: write a string."])
    }

    @Test func `an optional value can be missing or null`() throws {
        let (result, problems) = try read("a: null\nb:\nc: x\n") { reader in
            ["a", "b", "c", "d"].map { reader.optionalValue($0, .string)?.value }
        }
        #expect(result == [nil, nil, "x", nil])
        #expect(problems == [])
    }

    @Test func `an optional mapping can be missing or null`() throws {
        let (result, problems) = try read("a: ~\nb:\n") { reader in
            ["a", "b", "c"].map { key in reader.mapping(key) { _ in true } }
        }
        #expect(result == [nil, nil, nil])
        #expect(problems == [])
    }

    @Test func `a value has a position, and a refused value is replaced by the default`() throws {
        let (result, problems) = try read("a: 5\nb: five\n") { reader in
            (reader.requiredValue("a", .integer), reader.value("b", .integer, default: 9))
        }
        #expect(result?.0?.position == SourcePosition(file: "f", line: 1, column: 4))
        #expect(result?.1 == 9)
        #expect(problems == ["f:2:4: b is \"five\": write a whole number such as 16."])
    }

    @Test func `refused list elements are omitted and reported by index`() throws {
        let (result, problems) = try read("l: [a, 2, [c], d]\n") { reader in
            reader.list("l", of: .string)?.map(\.value)
        }
        #expect(result == ["a", "d"])
        #expect(
            problems == [
                "f:1:8: l[1] is \"2\": write it in quotes, \"2\".",
                "f:1:11: l[2] is a list: write a string.",
            ])
    }

    @Test func `a bundle version without quotes is refused, and the error suggests quotes`() throws
    {
        let (_, problems) = try read("bundleVersion: 1\n") {
            $0.requiredValue("bundleVersion", .string)
        }
        #expect(problems == ["f:1:16: bundleVersion is \"1\": write it in quotes, \"1\"."])
    }

    @Test func `keys that the file chooses are read in its order and never reported as unknown`()
        throws
    {
        let (result, problems) = try read("views:\n  b: {n: 1}\n  a: {n: x}\n") { reader in
            reader.namedMappings("views") { entry, inner in
                "\(entry.key)@\(entry.keyPosition.line) \(inner.requiredValue("n", .integer)?.value ?? 0)"
            }
        }
        #expect(result == ["b@2 1", "a@3 0"])
        #expect(problems == ["f:3:10: views.a.n is \"x\": write a whole number such as 16."])
    }

    @Test func `a list of mappings omits elements that are not mappings`() throws {
        let (result, problems) = try read("l:\n  - n: 1\n  - 2\n  - m: 3\n") { reader in
            reader.mappings("l") { $0.optionalValue("n", .integer)?.value }
        }
        #expect(result == [1])
        #expect(
            problems == [
                "f:3:5: l[1] is the single value \"2\": write keys and values, \"key: value\".",
                "f:4:5: the key \"m\" is unknown in l[2]: did you mean \"n\"?",
            ])
    }

    @Test func `a document that is not a mapping is refused`() throws {
        let (result, problems) = try read("[1]\n") { _ in true }
        #expect(result == nil)
        #expect(
            problems == ["f:1:1: the document is a list: write keys and values, \"key: value\"."])
    }
}
