package import Varlink

extension ControlError {
    /// The fields of all errors.
    struct Fields: Codable {
        var application: String?
        var reason: String?
        var scene: String?
        var path: String?
        var nearest: String?
        var key: String?
        var `class`: String?
        var method: String?
        var identifier: String?
        var index: Int?
        var count: Int?
        var given: Int?
        var most: Int?
        var stage: String?
        var stages: [String]?
        var maximumBytes: Int?
        var message: String?
        var name: String?
        var cause: String?
        var generation: String?
        var generations: [String]?
        var problems: [String]?
        var changed: [String]?
        var waiting: [String]?
        var failures: [String]?
    }

    /// The error as it is replied.
    ///
    /// - Throws: `EncodingError`, which no error of this interface gives.
    package func varlinkError() throws -> VarlinkError {
        var fields = Fields()
        let name: String
        switch self {
        case .noSuchApplication(let application):
            name = "NoSuchApplication"
            fields.application = application
        case .applicationNotRunning(let application):
            name = "ApplicationNotRunning"
            fields.application = application
        case .applicationRunning(let application):
            name = "ApplicationRunning"
            fields.application = application
        case .applicationFailed(let application, let reason):
            name = "ApplicationFailed"
            fields.application = application
            fields.reason = reason
        case .noSuchScene(let application, let scene):
            name = "NoSuchScene"
            fields.application = application
            fields.scene = scene
        case .sceneExists(let application, let scene):
            name = "SceneExists"
            fields.application = application
            fields.scene = scene
        case .invalidSceneName(let application, let scene, let reason):
            name = "InvalidSceneName"
            fields.application = application
            fields.scene = scene
            fields.reason = reason
        case .sceneFailed(let application, let scene, let reason):
            name = "SceneFailed"
            fields.application = application
            fields.scene = scene
            fields.reason = reason
        case .sceneNotLaunched(let application, let scene):
            name = "SceneNotLaunched"
            fields.application = application
            fields.scene = scene
        case .sceneNotSaved(let application, let scene, let reason):
            name = "SceneNotSaved"
            fields.application = application
            fields.scene = scene
            fields.reason = reason
        case .stateNotRemoved(let application, let reason):
            name = "StateNotRemoved"
            fields.application = application
            fields.reason = reason
        case .historyUnreadable(let application, let reason):
            name = "HistoryUnreadable"
            fields.application = application
            fields.reason = reason
        case .noSuchGeneration(let application, let generation, let generations):
            name = "NoSuchGeneration"
            fields.application = application
            fields.generation = generation
            fields.generations = generations
        case .generationUnreadable(let application, let generation, let reason):
            name = "GenerationUnreadable"
            fields.application = application
            fields.generation = generation
            fields.reason = reason
        case .quarantineUnreadable(let application, let reason):
            name = "QuarantineUnreadable"
            fields.application = application
            fields.reason = reason
        case .notInQuarantine(let application, let quarantined):
            name = "NotInQuarantine"
            fields.application = application
            fields.name = quarantined
        case .notPutBack(let application, let quarantined, let cause, let reason):
            name = "NotPutBack"
            fields.application = application
            fields.name = quarantined
            fields.cause = cause
            fields.reason = reason
        case .notRolledBack(let application, let generation, let cause, let reason):
            name = "NotRolledBack"
            fields.application = application
            fields.generation = generation
            fields.cause = cause
            fields.reason = reason
        case .notReset(let application, let cause, let reason):
            name = "NotReset"
            fields.application = application
            fields.cause = cause
            fields.reason = reason
        case .notReloaded(let application, let reason):
            name = "NotReloaded"
            fields.application = application
            fields.reason = reason
        case .configurationRefused(let problems):
            name = "ConfigurationRefused"
            fields.problems = problems
        case .reloadedInPart(let changed, let waiting, let failures):
            name = "ReloadedInPart"
            fields.changed = changed
            fields.waiting = waiting
            fields.failures = failures
        case .daemonEnding: name = "DaemonEnding"
        case .noSuchObject(let path, let nearest):
            name = "NoSuchObject"
            fields.path = path
            fields.nearest = nearest
        case .noSuchKey(let path, let key):
            name = "NoSuchKey"
            fields.path = path
            fields.key = key
        case .notApplicable(let path, let `class`, let method):
            name = "NotApplicable"
            fields.path = path
            fields.class = `class`
            fields.method = method
        case .indexOutOfRange(let path, let index, let count):
            name = "IndexOutOfRange"
            fields.path = path
            fields.index = index
            fields.count = count
        case .tooManyIndexes(let path, let given, let most):
            name = "TooManyIndexes"
            fields.path = path
            fields.given = given
            fields.most = most
        case .notPossible(let path, let method, let reason):
            name = "NotPossible"
            fields.path = path
            fields.method = method
            fields.reason = reason
        case .noSuchModelIdentifier(let path, let identifier):
            name = "NoSuchModelIdentifier"
            fields.path = path
            fields.identifier = identifier
        case .stateUnavailable(let path, let reason):
            name = "StateUnavailable"
            fields.path = path
            fields.reason = reason
        case .tooManyCommands(let application):
            name = "TooManyCommands"
            fields.application = application
        case .debugExitsNotAllowed: name = "DebugExitsNotAllowed"
        case .noSuchStage(let stage, let stages):
            name = "NoSuchStage"
            fields.stage = stage
            fields.stages = stages
        case .requestTooLarge(let maximumBytes):
            name = "RequestTooLarge"
            fields.maximumBytes = maximumBytes
        case .internalError(let message):
            name = "InternalError"
            fields.message = message
        }
        return try VarlinkError(name: "\(ControlInterface.name).\(name)", encoding: fields)
    }
}
