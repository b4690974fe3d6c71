public import ControllerKit

extension SceneResources {
    /// The storyboard that states this name, wherever its file stands in the configuration.
    ///
    /// - Throws: ``UnknownStoryboard`` if none of the configured ones does.
    public func storyboard(named name: String) throws(UnknownStoryboard) -> any Storyboard {
        guard let storyboard = storyboards.first(where: { $0.name == name }) else {
            throw UnknownStoryboard(name: name, known: storyboards.map(\.name))
        }
        return storyboard
    }
}
