public import StateRestoration

/// What an application is made of: its identifier, its version, and how to make its scenes.
public struct ApplicationDefinition: Sendable {
    /// The bundle identifier, which names the application's folder: `org.reprise.ChildViews`.
    public var bundleIdentifier: String
    /// The version of the program, which every coder answers (P4).
    public var bundleVersion: String
    /// Tells the storyboards, and whatever else the application is given, from others: a crash may
    /// be their fault, and others are tried again (L8).
    public var resourceFingerprint: UInt64 = 0
    /// The scenes that are made when they were never saved before (S3). The first is the one that a
    /// command without a scene goes to.
    public var scenes: [RestorationIdentifier]
    /// Makes the stable names of the application's classes (P13).
    public var makeClasses: @Sendable () -> ClassRegistry
    /// Makes the model data that the scenes share (S1), with the folder that is there to keep it
    /// in; nil: there is none. Called at each launch. What it throws keeps the application from
    /// launching.
    public var makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    /// Makes the storyboards in which recorded view controllers are looked for (R3), for all scenes
    /// of a launch; nil: there are none. What it throws keeps scenes from launching.
    public var makeStoryboards: (@Sendable (ClassRegistry) throws -> any StoryboardFinding)?
    /// Makes a scene's own delegate (S1). What it throws keeps the scene from launching.
    public var makeDelegate: @Sendable (SceneContext) throws -> any RestorationDelegate

    /// A definition of these parts.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        scenes: [RestorationIdentifier] = ["main"],
        makeClasses: @escaping @Sendable () -> ClassRegistry,
        makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)? = nil,
        makeStoryboards: (@Sendable (ClassRegistry) throws -> any StoryboardFinding)? = nil,
        makeDelegate: @escaping @Sendable (SceneContext) throws -> any RestorationDelegate
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.scenes = scenes
        self.makeClasses = makeClasses
        self.makeModel = makeModel
        self.makeStoryboards = makeStoryboards
        self.makeDelegate = makeDelegate
    }
}

/// What a factory knows of the scene whose delegate it makes.
public struct SceneContext {
    /// The scene's name.
    public let name: RestorationIdentifier
    /// The stable names of the application's classes, which storyboards make objects by.
    public let classes: ClassRegistry
    /// The storyboards of the application; nil if it has none.
    public let storyboards: (any StoryboardFinding)?
    /// The model data that the application's scenes share; nil if it has none.
    public let model: (any ApplicationModel)?
}
