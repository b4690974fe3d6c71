import StateRestoration
import Testing

@Suite struct NestingTests {
    /// A type that contains itself, which only the given depth ends.
    private struct Endless: Encodable {
        let depth: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if depth > 1 { try container.encode(Endless(depth: depth - 1)) }
        }
    }

    /// Encodes a value inside the given number of arrays or dictionaries.
    private func encode(
        _ value: some StateValue, below levels: Int, inArrays: Bool, _ coder: StateEncoder
    ) {
        if levels == 0 {
            coder.encode(value, forKey: "nested")
        } else if inArrays {
            encode([value], below: levels - 1, inArrays: inArrays, coder)
        } else {
            encode(["k": value], below: levels - 1, inArrays: inArrays, coder)
        }
    }

    @Test(arguments: [true, false])
    func `P9: a value nested 64 levels deep is saved, and a value nested 65 levels deep is refused`(
        inArrays: Bool
    )
        throws
    {
        let coders = Coders()
        encode(7, below: 64, inArrays: inArrays, coders.encoder)
        #expect(coders.problems == [])
        var value = try #require(try coders.values()["nested"])
        for _ in 0..<64 {
            switch value {
            case .array(let values): value = values[0]
            case .dictionary(let values): value = try #require(values["k"])
            default: Issue.record("\(value)")
            }
        }
        #expect(value == .integer(7))

        let deeper = Coders()
        deeper.encoder.encode("before", forKey: "before")
        encode(7, below: 65, inArrays: inArrays, deeper.encoder)
        deeper.encoder.encode("after", forKey: "after")
        #expect(deeper.problems == [.init("nested", .nestedTooDeep)])
        #expect(try deeper.values() == ["before": .string("before"), "after": .string("after")])
    }

    @Test
    func `P9: JSON nested 64 levels deep is saved, and JSON nested 65 levels deep is refused`()
        throws
    {
        let coders = Coders()
        coders.encoder.encode(Endless(depth: 64), forKey: "deep")
        coders.encoder.encode(Endless(depth: 65), forKey: "deeper")
        #expect(coders.problems == [.init("deeper", .nestedTooDeep)])
        #expect(try coders.values().keys.sorted() == ["deep"])
    }

    @Test func `brackets in strings do not count as nesting`() throws {
        struct Note: Codable { var text: String }
        let note = Note(text: String(repeating: #"[{"\"#, count: 200))
        let coders = Coders()
        coders.encoder.encode(note, forKey: "note")
        #expect(coders.problems == [])
        #expect(try coders.decoder().decode(Note.self, forKey: "note")?.text == note.text)
    }
}
