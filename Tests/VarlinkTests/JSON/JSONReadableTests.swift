import Testing

@testable import Varlink

/// Reading of values of the wrong type and of values that are nested too deeply.
@Suite struct JSONReadableTests {
    private func read<Value: JSONReadable>(_ type: Value.Type, _ text: String) throws {
        var reader = JSONReader(Array(text.utf8))
        _ = try reader.readAll(type)
    }

    @Test(arguments: [
        ("[]", ["1", "null", "true", "\"x\"", "{}"]), ("{}", ["1", "null", "true", "\"x\"", "[]"]),
        ("true", ["1", "null", "\"x\"", "[]", "{}"]), ("1", ["null", "true", "\"x\"", "[]", "{}"]),
        ("\"x\"", ["1", "null", "true", "[]", "{}"]),
    ])
    func `a value of another type is an invalid parameter, not invalid JSON`(
        valid: String, others: [String]
    ) {
        func read(_ text: String) throws {
            switch valid {
            case "[]": try self.read([Double].self, text)
            case "{}": try self.read([String: Int].self, text)
            case "true": try self.read(Bool.self, text)
            case "1": try self.read(Int.self, text)
            default: try self.read(String.self, text)
            }
        }
        #expect(throws: Never.self) { try read(valid) }
        for other in others {
            #expect(throws: JSONReadingError.invalidParameter("")) { try read(other) }
        }
    }

    /// Maps of any depth.
    private indirect enum Maps: JSONReadable {
        case end
        case map([String: Maps])

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Maps {
            try reader.consumeNull() ? .end : .map(try reader.read([String: Maps].self))
        }
    }

    /// Structures of any depth.
    private struct Structures: JSONReadable {
        private static let names = JSONNames("a")

        static func read(from reader: inout JSONReader) throws(JSONReadingError) -> Structures {
            if try reader.consumeNull() { return Structures() }
            var members = try reader.beginStructure(names)
            while try reader.nextMember(of: &members) != nil {
                _ = try reader.read(Structures.self)
            }
            return Structures()
        }
    }

    @Test func `typed values that are nested too deeply are refused for this reason`() {
        func text(_ depth: Int) -> String {
            String(repeating: #"{"a":"#, count: depth) + "null"
                + String(repeating: "}", count: depth)
        }
        let maximum = text(JSONReader.maximumDepth)
        #expect(throws: Never.self) { try read(Maps.self, maximum) }
        #expect(throws: Never.self) { try read(Structures.self, maximum) }
        let tooDeep = text(JSONReader.maximumDepth + 1)
        #expect(throws: JSONReadingError.message(.tooDeep)) { try read(Maps.self, tooDeep) }
        #expect(throws: JSONReadingError.message(.tooDeep)) { try read(Structures.self, tooDeep) }
    }
}
