public import ControllerKit
import ExactText
public import Preservation
public import StateRestoration
import Storyboards

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
    /// Makes the model data that the scenes share, with the folder that is there to keep it in;
    /// nil: there is none. Called at each launch of the application. What it throws keeps the
    /// application from launching, so it names the document, which is left as it is.
    public var makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)?
    /// Makes a scene's delegate (S1). What it throws keeps the scene from launching.
    public var makeDelegate: @Sendable (SceneResources) throws -> any RestorationDelegate

    /// An application of these parts.
    public init(
        bundleIdentifier: String, bundleVersion: String, storyboards: [String] = [],
        registerClasses: @escaping @Sendable (inout ClassRegistry) -> Void,
        makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)? = nil,
        makeDelegate: @escaping @Sendable (SceneResources) throws -> any RestorationDelegate
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.storyboards = storyboards
        self.registerClasses = registerClasses
        self.makeModel = makeModel
        self.makeDelegate = makeDelegate
    }

    /// An application of values and plain objects, without view controllers.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: names the application's folder: `org.example.Agent`.
    ///   - bundleVersion: the version of the program.
    ///   - register: makes the objects, as `Application.init` of `Preservation` says.
    ///   - makeModel: makes the model data that the scenes share; nil: there is none.
    public init(
        bundleIdentifier: String, bundleVersion: String,
        register: @escaping @Sendable (RegisteredObjects) throws -> Void = { _ in },
        makeModel: (@Sendable (DocumentsFolder) throws -> any ApplicationModel)? = nil
    ) {
        self.init(
            bundleIdentifier: bundleIdentifier, bundleVersion: bundleVersion,
            registerClasses: { _ in }, makeModel: makeModel,
            makeDelegate: { RegisteringDelegate(model: $0.model, register) })
    }
}

/// What a scene's delegate is made with.
public struct SceneResources {
    /// The scene's name.
    public let sceneName: RestorationIdentifier
    /// The application's storyboards, in the order in which they are configured.
    public let storyboards: [any Storyboard]
    /// The model data that the application's scenes share; nil if it makes none.
    public let model: (any ApplicationModel)?

    /// The first storyboard.
    ///
    /// - Throws: ``MissingStoryboard`` if the configuration names none.
    public func mainStoryboard() throws -> any Storyboard {
        guard let storyboard = storyboards.first else { throw MissingStoryboard() }
        return storyboard
    }

    /// The model data, which is of a class of the application's own.
    ///
    /// - Throws: ``MissingModel`` if the application makes none of this class.
    public func model<Model: ApplicationModel>(of type: Model.Type = Model.self) throws -> Model {
        guard let model = model as? Model else { throw MissingModel(name: "\(type)") }
        return model
    }
}

/// An application that needs a storyboard has none.
public struct MissingStoryboard: Error, CustomStringConvertible {
    /// One sentence.
    public var description: String {
        "the application needs a storyboard: name one under storyboards in the configuration"
    }
}

/// An application's delegate asks for model data that the application does not make.
public struct MissingModel: Error, CustomStringConvertible {
    /// The class that was asked for.
    public let name: String

    /// One sentence.
    public var description: String {
        "the application has no model data of the class \(name): create it in makeModel"
    }
}

extension SceneResources {
    /// The storyboard that states this name, wherever its file stands in the configuration.
    ///
    /// - Throws: `UnknownStoryboard` if none of the configured ones does.
    public func storyboard(named name: String) throws(UnknownStoryboard) -> any Storyboard {
        guard let storyboard = storyboards.first(where: { $0.name == name }) else {
            throw UnknownStoryboard(name: name, known: storyboards.map(\.name))
        }
        return storyboard
    }
}

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
            makeStoryboards: { try StoryboardCollection(definitions, classes: $0) },
            makeDelegate: { context in
                let collection = context.storyboards as? StoryboardCollection
                return try hosted.makeDelegate(
                    SceneResources(
                        sceneName: context.name, storyboards: collection?.storyboards ?? [],
                        model: context.model))
            })
    }
}
