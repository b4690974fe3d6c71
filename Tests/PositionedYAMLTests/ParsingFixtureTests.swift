import PositionedYAML
import Testing

@Suite struct ParsingFixtureTests {
    /// If the directory could not be listed, the other tests would pass without checking any fixture.
    @Test func `no fixture is overlooked`() throws {
        let names = try YAMLFixture.all().map(\.name)
        #expect(names.count == 35)
        #expect(names.first == "01-shapes")
    }

    @Test(arguments: try YAMLFixture.all())
    func `each fixture gives exactly the expected result or error`(fixture: YAMLFixture) {
        #expect(outcome(of: fixture.input) == fixture.expected)
    }

    private func outcome(of input: [UInt8]) -> String {
        do {
            return NodeDump.dump(try PositionedNode(yaml: input, file: "in")) + "\n"
        } catch {
            return "\(error)\n"
        }
    }
}
