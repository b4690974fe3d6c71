import FoundationEssentials
import Testing

@testable import StateRestoration

/// The examples in docs/Values.md agree with the code.
@Suite struct ValuesDocumentTests {
    private struct Style: Codable, Equatable { var size = 14 }

    private func document() throws -> [Substring] {
        let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        let root = (0..<4).reduce(file) { directory, _ in directory.deletingLastPathComponent() }
        let text = try String(
            contentsOf: root.appending(path: "docs/Values.md"), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `the documented example matches the encoded bytes and decodes to its values`() throws
    {
        let lines = try document().drop { $0 != "## An example" }.filter { $0.hasPrefix("    ") }
        let bytes = lines.flatMap { line in
            line.split(separator: " ").prefix { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }
                .compactMap { UInt8($0, radix: 16) }
        }
        let coders = Coders()
        let coder = coders.encoder
        let pages = [TestObject("first"), TestObject("second")]
        coder.recordNumberOfObject = { $0 === pages[0] ? RecordNumber(3) : RecordNumber(300) }
        coder.encode("Zoë", forKey: "title")
        coder.encode(-3, forKey: "count")
        coder.encode(1.5, forKey: "zoom")
        coder.encode(["a": 2..<5], forKey: "marks")
        coder.encodeNull(forKey: "selection")
        coder.encode(Style(), forKey: "style")
        coder.encode(pages as [any StateRestoring], forKey: "pages")
        #expect(coders.problems == [])
        #expect(lines.count == 7)
        #expect(bytes == coders.bytes)

        let decoder = coders.decoder(of: bytes)
        #expect(try decoder.decode(String.self, forKey: "title") == "Zoë")
        #expect(try decoder.decode([String: Range<Int>].self, forKey: "marks") == ["a": 2..<5])
        #expect(try decoder.decode(Style.self, forKey: "style") == Style())
    }

    @Test func `the documented table lists every tag and no other tags`() throws {
        let tags = try document().drop { $0 != "## Values" }.prefix {
            $0 != "## What a reader checks"
        }
        .filter { $0.hasPrefix("| ") }
        .compactMap { UInt8($0.dropFirst(2).prefix { $0 != " " }) }
        #expect(tags == ValueTag.allCases.map(\.rawValue))
    }
}
