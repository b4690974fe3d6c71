public import ControllerKit
import ExactText
public import Preservation
public import StateRestoration
import Storyboards

/// Application that a program offers and that its daemon can host.
public struct HostedApplication: Sendable {
    /// Bundle identifier that the configuration uses to refer to the application.
    public var bundleIdentifier: String
    /// Version of the program.
    ///
    /// Each storyboard states the version that it was made for (L6).
    public var bundleVersion: String
    /// Names of the application's storyboard files, which the configuration can override.
    public var storyboards: [String]
    /// Closure that registers the application's classes, in addition to the classes in ControllerKit.
    public var registerClasses: @Sendable (inout ClassRegistry) -> Void
    /// Closure that creates the model data that the scenes share, or `nil` if they share none.
    ///
    /// The closure receives the directory that stores the model data. It is called each time the application launches.
    /// If it throws an error, the application does not launch, and its documents remain unchanged. The error must name
    /// the document that caused it.
    public var makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)?
    /// Closure that creates a scene's delegate (S1).
    ///
    /// If the closure throws an error, the scene does not launch.
    public var makeDelegate: @Sendable (SceneResources) throws -> any RestorationDelegate

    /// Creates an application with view controllers.
    public init(
        bundleIdentifier: String, bundleVersion: String, storyboards: [String] = [],
        registerClasses: @escaping @Sendable (inout ClassRegistry) -> Void,
        makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)? = nil,
        makeDelegate: @escaping @Sendable (SceneResources) throws -> any RestorationDelegate
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.storyboards = storyboards
        self.registerClasses = registerClasses
        self.makeModel = makeModel
        self.makeDelegate = makeDelegate
    }

    /// Creates an application that consists of values and plain objects, without view controllers.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The bundle identifier, such as `org.example.Agent`, which is also the name of the
    ///     application's directory.
    ///   - bundleVersion: The version of the program.
    ///   - register: A closure that creates and registers the objects (see `Application.init` in `Preservation`).
    ///   - makeModel: A closure that creates the model data that the scenes share, or `nil` if they share none.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        register: @escaping @Sendable (RegisteredObjects) throws -> Void = { _ in },
        makeModel: (@Sendable (DocumentsDirectory) throws -> any ApplicationModel)? = nil
    ) {
        self.init(
            bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion,
            registerClasses: { _ in }, makeModel: makeModel,
            makeDelegate: { RegisteringDelegate(model: $0.model, register) })
    }
}

/// Resources from which an application creates a scene's delegate.
public struct SceneResources {
    /// Name of the scene.
    public let sceneName: RestorationIdentifier
    /// Storyboards of the application, in the order in which the configuration lists them.
    public let storyboards: [any Storyboard]
    /// Model data that the application's scenes share, or `nil` if the application has no model data.
    public let model: (any ApplicationModel)?

    /// Returns the first storyboard.
    ///
    /// - Throws: ``MissingStoryboard`` if the application has no storyboard.
    public func mainStoryboard() throws -> any Storyboard {
        guard let storyboard = storyboards.first else { throw MissingStoryboard() }
        return storyboard
    }

    /// Returns the model data as an instance of the application's own class.
    ///
    /// - Throws: ``MissingModel`` if the application has no model data of this class.
    public func model<Model: ApplicationModel>(of type: Model.Type = Model.self) throws -> Model {
        guard let model = model as? Model else { throw MissingModel(name: "\(type)") }
        return model
    }
}

/// Error for an application that needs a storyboard but has no storyboards.
public struct MissingStoryboard: Error, CustomStringConvertible {
    /// Sentence that describes the error.
    public var description: String {
        "the application needs a storyboard: add one to storyboards in the configuration"
    }
}

/// Error for requested model data that the application does not create.
public struct MissingModel: Error, CustomStringConvertible {
    /// Name of the requested class.
    public let name: String

    /// Sentence that describes the error.
    public var description: String {
        "the application has no model data of the class \(name): create it in makeModel"
    }
}

extension SceneResources {
    /// Returns the storyboard with the given name, regardless of its position in the configuration.
    ///
    /// - Throws: `UnknownStoryboardError` if no configured storyboard has this name.
    public func storyboard(named name: String) throws(UnknownStoryboardError) -> any Storyboard {
        guard let storyboard = storyboards.first(where: { $0.name == name }) else {
            throw UnknownStoryboardError(name: name, knownNames: storyboards.map(\.name))
        }
        return storyboard
    }
}

extension ApplicationDefinition {
    /// Creates the definition of a hosted application, including its storyboards.
    init(
        _ hostedApplication: HostedApplication, scenes: [RestorationIdentifier],
        storyboards definitions: [StoryboardDefinition]
    ) {
        self.init(
            bundleIdentifier: hostedApplication.bundleIdentifier,
            bundleVersion: hostedApplication.bundleVersion,
            scenes: scenes,
            makeClasses: {
                var classes = ClassRegistry.controllerKit
                hostedApplication.registerClasses(&classes)
                return classes
            },
            makeModel: hostedApplication.makeModel,
            makeStoryboards: { try StoryboardCollection(definitions, classes: $0) },
            makeDelegate: { context in
                let collection = context.storyboards as? StoryboardCollection
                return try hostedApplication.makeDelegate(
                    SceneResources(
                        sceneName: context.name, storyboards: collection?.storyboards ?? [],
                        model: context.model))
            })
    }
}
