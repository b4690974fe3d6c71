public import StateRestoration

/// Definition of an application: its identifier, its version, and the factories for its scenes.
public struct ApplicationDefinition: Sendable {
    /// Bundle identifier, such as `org.reprise.ChildViews`. It is also the name of the application's directory.
    public var bundleIdentifier: String
    /// Version of the program. Coders provide the version to objects (P4).
    public var bundleVersion: String
    /// Fingerprint of the application's storyboards and other resources.
    ///
    /// Resources can cause a crash during a launch. After such a crash, the launch is retried if the fingerprint has
    /// changed (L8).
    public var resourceFingerprint: UInt64 = 0
    /// Names of the scenes to create if they have no saved state (S3).
    ///
    /// A command that does not specify a scene runs on the first scene.
    public var scenes: [RestorationIdentifier]
    /// Factory for the registry of stable names for the application's classes (P13).
    public var makeClasses: @Sendable () -> ClassRegistry
    /// Factory for the model data that the scenes share (S1), or `nil` if the application has no model data.
    ///
    /// The closure is called for each launch and receives the directory in which the model can store its data. If the
    /// closure throws an error, the application is not launched.
    public var makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)?
    /// Factory for the storyboards from which saved view controllers are recreated (R3), or `nil` if the application
    /// has no storyboards.
    ///
    /// The storyboards are used for all scenes in a launch. If the closure throws an error, no scene is launched.
    public var makeStoryboards: (@Sendable (ClassRegistry) throws -> any StoryboardInstantiating)?
    /// Factory for a scene's delegate (S1). If the closure throws an error, the scene is not launched.
    public var makeDelegate: @Sendable (SceneContext) throws -> any RestorationDelegate

    /// Creates a definition from an identifier, a version and factories.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        scenes: [RestorationIdentifier] = ["main"],
        makeClasses: @escaping @Sendable () -> ClassRegistry,
        makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)? = nil,
        makeStoryboards: (@Sendable (ClassRegistry) throws -> any StoryboardInstantiating)? = nil,
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

/// Properties of a scene that are passed to the factory for the scene's delegate.
public struct SceneContext {
    /// Name of the scene.
    public let name: RestorationIdentifier
    /// Registry of the application's classes, from which storyboards create objects.
    public let classes: ClassRegistry
    /// Storyboards of the application, or `nil` if the application has no storyboards.
    public let storyboards: (any StoryboardInstantiating)?
    /// Model data that the application's scenes share, or `nil` if the application has no model data.
    public let model: (any ApplicationModel)?
}
