import TestSupport
import Testing

@testable import PositionedYAML

@Suite struct YAMLBoundsTests {
    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try PositionedNode(yaml: Array(yaml.utf8), file: "f")
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test func `a document of the maximum size is read, and one more byte is refused`() {
        let start = "a: 1\n#"
        let filler = String(repeating: "x", count: YAMLLimits.maximumBytes - start.utf8.count)
        #expect(problems(start + filler) == [])
        #expect(
            problems(start + filler + "x") == [
                "f:1:1: the file has 1048577 bytes, and the limit is 1048576: "
                    + "make it smaller or split it."
            ])
    }

    @Test func `nesting up to the maximum depth is read, and one more level is refused`() {
        let open = String(repeating: "[", count: YAMLLimits.maximumDepth)
        let close = String(repeating: "]", count: YAMLLimits.maximumDepth)
        #expect(problems(open + close) == [])
        #expect(
            problems("[\(open)\(close)]") == [
                "f:1:33: the nesting is deeper than 32 levels: reduce the nesting."
            ])
    }

    @Test func `nesting in keys has the same limit as nesting in values`() {
        let deep = String(repeating: "? ", count: YAMLLimits.maximumDepth + 8) + "a"
        #expect(problems(deep).first?.contains("the nesting is deeper than 32 levels") == true)
    }

    @Test func `lines are counted at every kind of line ending`() {
        var counter = PositionCounter()
        for scalar in "a\rb\nc\r\nd\n\ne".unicodeScalars { counter.advance(over: scalar) }
        #expect(counter.line == 6)
        #expect(counter.column == 2)
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "!x ", "&a ", "{? "])
    func `extremely deep nesting is refused with one error`(opening: String) {
        let count = YAMLLimits.maximumBytes / opening.utf8.count
        #expect(problems(String(repeating: opening, count: count)).count == 1)
    }

    @Test func `nested aliases as keys are refused at the first anchor`() {
        var yaml = "- &a0 {k: v}\n"
        for level in 1...40 {
            yaml += "- &a\(level)\n  ? [*a\(level - 1), *a\(level - 1)]\n  : *a\(level - 1)\n"
        }
        #expect(
            problems(yaml) == [
                "f:1:3: anchors and aliases (\"&name\", \"*name\") are not supported: "
                    + "write the value where it is needed."
            ])
    }

    @Test func `an unused anchor is also refused`() {
        #expect(problems("a: &x 1\n").first?.hasPrefix("f:1:4: anchors and aliases") == true)
    }

    @Test
    func `duplicate keys are reported at their positions, up to a limit`() {
        let count = ProblemLog.maximumProblemCount + 1
        let yaml = (0..<count).map { "k\($0): 1\nk\($0): 2\n" }.joined()
        let expected = (0..<ProblemLog.maximumProblemCount).map {
            "f:\(2 * $0 + 2):1: the key \"k\($0)\" is already in line \(2 * $0 + 1): "
                + "keep one of them."
        }
        #expect(problems(yaml) == expected)
    }

    @Test func `a byte order mark inside the text is refused at its position`() {
        #expect(
            problems("a: 1\nb: x\u{FEFF}y\n") == [
                "f:2:5: the control character U+FEFF is not allowed here: "
                    + "remove it, or write it as an escape sequence in quotes."
            ])
    }

    @Test func `a syntax error is reported alone, but an anchor is reported with earlier problems`()
    {
        let duplicate = "a: 1\na: 2\n"
        #expect(
            problems(duplicate + "b: [\n") == [
                "f:4:1: a value is expected here: write it, and close any open \"[\" or \"{\"."
            ])
        #expect(
            problems(duplicate + "b: &x 1\nb: [\n").map { $0.prefix(20) } == [
                "f:2:1: the key \"a\" i", "f:3:4: anchors and a",
            ])
    }

    @Test func `a private-use character does not affect the detection of duplicate keys`() {
        #expect(
            problems("\u{F000}: 1\na: 1\na: 2\n") == [
                "f:3:1: the key \"a\" is already in line 2: keep one of them."
            ])
    }

    @Test func `private-use characters as keys do not hide duplicates before or after them`() {
        #expect(
            problems("a: 1\na: 2\n\u{F000}: 1\n\u{F001}: 1\n") == [
                "f:2:1: the key \"a\" is already in line 1: keep one of them."
            ])
        #expect(
            problems("\u{F000}b: 1\nab: 1\nab: 2\nb: 1\nb: 2\n\u{F001}: 1\n") == [
                "f:3:1: the key \"ab\" is already in line 2: keep one of them.",
                "f:5:1: the key \"b\" is already in line 4: keep one of them.",
            ])
    }

    /// Each input is a fixture in which a fixed random sequence has changed, removed or repeated bytes.
    @Test
    func `damaged text never crashes the parser, and every problem has a position inside the file`()
        throws
    {
        var random = SeededNumbers(seed: 7)
        for fixture in try YAMLFixture.all() {
            for _ in 0..<150 {
                var bytes = fixture.input
                for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                    let index = Int.random(in: bytes.indices, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: index)
                    case 2: bytes.insert(contentsOf: bytes[index...].prefix(9), at: index)
                    default:
                        bytes[index] = Array("&*!?|>[]{},:-\"'#%@ \n\t".utf8).randomElement(
                            using: &random)!
                    }
                }
                do {
                    _ = try PositionedNode.parseIfPresent(yaml: bytes, file: "f")
                } catch {
                    let lines = 1 + bytes.count
                    for problem in error.errors {
                        #expect((1...lines).contains(problem.position.line))
                        #expect((1...lines).contains(problem.position.column))
                    }
                }
            }
        }
    }

    @Test(arguments: ["[1,\n2] @", "\"a\n b\" @"])
    func `text after the end of a document is refused`(yaml: String) {
        #expect(problems(yaml).count == 1)
    }

    @Test func `tags for text, lists and mappings are supported`() {
        #expect(problems("!!map {a: !!seq [!!str x]}") == [])
        #expect(problems("a: !!int 1").first?.hasPrefix("f:1:4: tags (\"!name\")") == true)
    }

    @Test(arguments: ["~", "null", "[a]"])
    func `a key that is not a word is refused`(key: String) {
        #expect(
            problems("\(key): 1") == [
                "f:1:1: a key must be a plain word: write it without brackets, or remove it."
            ])
    }

    @Test(arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
    func `UTF-16 of either byte order is recognized`(bytes: [UInt8]) {
        let error = #expect(throws: PositionedErrors.self) {
            try PositionedNode(yaml: bytes, file: "f")
        }
        #expect(
            error?.errors.map(\.description) == ["f:1:1: the file is UTF-16: save it as UTF-8."])
    }
}
