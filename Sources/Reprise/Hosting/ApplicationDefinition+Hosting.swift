import ControllerKit
import Preservation
import StateRestoration
import Storyboards

extension ApplicationDefinition {
    /// What the engine needs of a hosted application with its storyboards.
    init(
        _ hosted: HostedApplication, scenes: [RestorationIdentifier],
        storyboards definitions: [StoryboardDefinition]
    ) {
        self.init(
            bundleIdentifier: hosted.bundleIdentifier, bundleVersion: hosted.bundleVersion,
            scenes: scenes,
            makeClasses: {
                var classes = ClassRegistry.controllerKit
                hosted.registerClasses(&classes)
                return classes
            },
            makeModel: hosted.makeModel,
            makeScene: { context in
                let storyboards = try StoryboardCollection(
                    definitions, classes: context.classes)
                let resources = SceneResources(
                    sceneName: context.name, storyboards: storyboards.storyboards,
                    model: context.model)
                return SceneParts(
                    delegate: try hosted.makeDelegate(resources),
                    storyboards: storyboards)
            })
    }
}
