/// How much the storyboards of an application may state. Interfaces stay far below; the limits keep
/// a file that went wrong from taking memory or time without end.
enum StoryboardLimits {
    /// Controllers in all storyboards together.
    static let controllers = 1_000
    /// Controllers, views, bar button items, children and segues in all storyboards together.
    static let objects = 10_000
    /// How deep views lie in each other.
    static let viewDepth = 12
    /// How deep controllers hold each other.
    static let controllerDepth = 32
    /// Controllers and views that are made at once, when one controller is made with all it holds.
    static let madeObjects = 10_000
}
