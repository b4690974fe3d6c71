public import ControllerKit
public import StateRestoration

/// An application that a daemon can host, as the program offers it.
public struct HostedApplication: Sendable {
    /// The bundle identifier, by which the configuration names it.
    public var bundleIdentifier: String
    /// The version of the program; storyboards state the version that they are for (L6).
    public var bundleVersion: String
    /// The storyboard files that it uses unless the configuration names others.
    public var storyboards: [String]
    /// Adds the application's classes to those of ControllerKit.
    public var registerClasses: @Sendable (inout ClassRegistry) -> Void
    /// Makes a scene's delegate (S1).
    public var makeDelegate: @Sendable (SceneResources) throws -> any ApplicationDelegate

    /// An application of these parts.
    public init(
        bundleIdentifier: String, bundleVersion: String, storyboards: [String] = [],
        registerClasses: @escaping @Sendable (inout ClassRegistry) -> Void,
        makeDelegate: @escaping @Sendable (SceneResources) throws -> any ApplicationDelegate
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.storyboards = storyboards
        self.registerClasses = registerClasses
        self.makeDelegate = makeDelegate
    }
}

/// What a scene's delegate is made with.
public struct SceneResources {
    /// The scene's name.
    public let sceneName: RestorationIdentifier
    /// The application's storyboards, in the order in which they are configured.
    public let storyboards: [any Storyboard]

    /// The first storyboard.
    ///
    /// - Throws: ``MissingStoryboard`` if the configuration names none.
    public func mainStoryboard() throws -> any Storyboard {
        guard let storyboard = storyboards.first else { throw MissingStoryboard() }
        return storyboard
    }
}

/// An application that needs a storyboard has none.
public struct MissingStoryboard: Error, CustomStringConvertible {
    /// One sentence.
    public var description: String {
        "the application needs a storyboard: name one under storyboards in the configuration"
    }
}
