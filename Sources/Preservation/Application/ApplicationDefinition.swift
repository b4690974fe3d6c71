public import StateRestoration

/// Definition of an application: its identifier, its version, and factories for its scenes.
public struct ApplicationDefinition: Sendable {
    /// Bundle identifier, which names the application's directory, for example `org.reprise.ChildViews`.
    public var bundleIdentifier: String
    /// Version of the program, which every coder provides (P4).
    public var bundleVersion: String
    /// Fingerprint of the storyboards and other resources of the application.
    ///
    /// Resources can cause a crash during a launch. After such a crash, the launch is retried once the
    /// fingerprint has changed (L8).
    public var resourceFingerprint: UInt64 = 0
    /// Names of the scenes to create if no saved state exists for them (S3).
    ///
    /// A command that names no scene runs on the first of them.
    public var scenes: [RestorationIdentifier]
    /// Creates the registry of stable names for the application's classes (P13).
    public var makeClasses: @Sendable () -> ClassRegistry
    /// Creates the model data that the scenes share (S1), or `nil` if the application has none.
    ///
    /// The closure is called at each launch and receives the directory in which the model can store its data.
    /// If the closure throws an error, the application is not launched.
    public var makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    /// Creates the storyboards that contain recorded view controllers (R3), or `nil` if the application has
    /// none.
    ///
    /// The storyboards are used for all scenes of a launch. If the closure throws an error, no scene is
    /// launched.
    public var makeStoryboards: (@Sendable (ClassRegistry) throws -> any StoryboardFinding)?
    /// Creates the delegate of a scene (S1). If the closure throws an error, the scene is not launched.
    public var makeDelegate: @Sendable (SceneContext) throws -> any RestorationDelegate

    /// Creates a definition.
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

/// Properties of a scene for the factory that creates the scene's delegate.
public struct SceneContext {
    /// Name of the scene.
    public let name: RestorationIdentifier
    /// Stable names of the application's classes, with which storyboards create objects.
    public let classes: ClassRegistry
    /// Storyboards of the application, or `nil` if it has none.
    public let storyboards: (any StoryboardFinding)?
    /// Model data that the application's scenes share, or `nil` if the application has none.
    public let model: (any ApplicationModel)?
}
