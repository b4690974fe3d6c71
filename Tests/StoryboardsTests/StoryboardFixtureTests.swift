import ControllerKit
import PositionedYAML
import StateRestoration
import Storyboards
import Testing

@Suite struct StoryboardFixtureTests {
    /// If the directory could not be listed, the other tests would pass without checking any fixture.
    @Test func `every fixture is found`() throws {
        let names = try StoryboardFixture.all().map(\.name)
        #expect(names.count == 48)
        #expect(names.first == "01-good")
    }

    @Test(arguments: try StoryboardFixture.all())
    func `a storyboard is instantiated or refused exactly as expected`(fixture: StoryboardFixture)
        throws
    {
        #expect(try outcome(of: fixture.input) == fixture.expected)
    }

    func outcome(of input: [(file: String, bytes: [UInt8])]) throws -> String {
        do {
            let definitions = try input.map {
                try StoryboardDefinition(yaml: $0.bytes, file: $0.file)
            }
            let storyboards = try StoryboardCollection(definitions, classes: .testing).storyboards
            return StoryboardDump.dump(try storyboards[0].instantiateInitialViewController()) + "\n"
        } catch let error as PositionedErrors {
            return "\(error)\n"
        }
    }
}
