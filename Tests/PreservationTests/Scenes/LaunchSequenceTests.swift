import StateRestoration
import Testing

@testable import Preservation

@Suite struct LaunchSequenceTests {
    private final class Connection: StateRestoring, AsyncStateRestoring {
        let restoration = RestorationNode()

        func finishRestoring(in scene: Scene) async throws {}
    }

    @Test func `R13: a launch finishes the restoration of every object`() throws {
        let bench = try TurnBench(
            Notes(),
            ApplicationDefinition(
                bundleIdentifier: Notes.bundleIdentifier, bundleVersion: "1",
                makeClasses: { ClassRegistry() },
                makeDelegate: { _ in
                    RegisteringDelegate { objects in
                        try objects.add(Connection(), as: "first")
                        try objects.add(Connection(), as: "second")
                    }
                }))
        let scenes = bench.makeScenes()
        guard case .extended(let name)? = bench.launchSequence.launchUntilNextStep(of: scenes)
        else {
            Issue.record("the launch does not wait")
            return
        }
        #expect(name == "main")
        var count = 0
        scenes.table.launchingScene?.tasks.start { _, _ in
            count += 1
            return Task {}
        }
        #expect(count == 2)
    }
}
