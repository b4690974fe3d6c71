import ControllerKit
import StateRestoration
import Testing

@testable import Reprise

@Suite struct HostedApplicationTests {
    private final class NamedStoryboard: Storyboard {
        let name: String

        init(_ name: String) {
            self.name = name
        }

        func instantiateInitialViewController() throws -> ViewController { ViewController() }

        func instantiateViewController(withIdentifier identifier: String) throws -> ViewController {
            ViewController()
        }
    }

    private func resources(_ names: [String]) -> SceneResources {
        SceneResources(
            sceneName: "main", storyboards: names.map { NamedStoryboard($0) }, model: nil)
    }

    @Test func `a storyboard is found by its name, and an error lists the known names`() throws {
        let resources = resources(["Main", "Other"])
        #expect(try resources.mainStoryboard().name == "Main")
        #expect(try resources.storyboard(named: "Other").name == "Other")
        #expect(throws: UnknownStoryboardError(name: "None", knownNames: ["Main", "Other"])) {
            _ = try resources.storyboard(named: "None")
        }
    }

    @Test func `an application without storyboards has no main storyboard`() {
        #expect(throws: MissingStoryboard.self) { _ = try resources([]).mainStoryboard() }
    }
}
