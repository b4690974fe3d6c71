import ControllerKit
import PositionedYAML
import StateRestoration
import Storyboards
import Testing

@Suite struct StoryboardFixtureTests {
    /// A folder that could not be listed must not pass as "nothing to test".
    @Test func `no fixture is overlooked`() throws {
        let names = try StoryboardFixture.all().map(\.name)
        #expect(names.count == 26)
        #expect(names.first == "01-good")
    }

    @Test(arguments: try StoryboardFixture.all())
    func `a storyboard is made or refused exactly as expected`(fixture: StoryboardFixture) throws {
        #expect(try outcome(of: fixture.input) == fixture.expected)
    }

    func outcome(of input: [UInt8]) throws -> String {
        do {
            let storyboard = try YAMLStoryboard(
                StoryboardDefinition(yaml: input, file: "in.yaml"), classes: .testing)
            return StoryboardDump.dump(try storyboard.instantiateInitialViewController()) + "\n"
        } catch let error as PositionedErrors {
            return "\(error)\n"
        }
    }
}
