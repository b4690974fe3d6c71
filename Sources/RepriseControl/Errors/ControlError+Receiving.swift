package import Varlink

extension ControlError {
    /// The error that a reply carries; nil if it is of another interface or of another shape.
    package init?(_ error: VarlinkError) {
        let prefix = ControlInterface.name + "."
        guard error.name.hasPrefix(prefix), let fields = try? error.parameters(as: Fields.self)
        else { return nil }
        let application = fields.application ?? ""
        let scene = fields.scene ?? ""
        let reason = fields.reason ?? ""
        let path = fields.path ?? ""
        switch error.name.dropFirst(prefix.count) {
        case "NoSuchApplication": self = .noSuchApplication(application: application)
        case "ApplicationNotRunning": self = .applicationNotRunning(application: application)
        case "ApplicationRunning": self = .applicationRunning(application: application)
        case "ApplicationFailed":
            self = .applicationFailed(application: application, reason: reason)
        case "NoSuchScene": self = .noSuchScene(application: application, scene: scene)
        case "SceneExists": self = .sceneExists(application: application, scene: scene)
        case "InvalidSceneName":
            self = .invalidSceneName(application: application, scene: scene, reason: reason)
        case "SceneFailed":
            self = .sceneFailed(application: application, scene: scene, reason: reason)
        case "SceneNotLaunched":
            self = .sceneNotLaunched(application: application, scene: scene)
        case "SceneNotSaved":
            self = .sceneNotSaved(application: application, scene: scene, reason: reason)
        case "StateNotRemoved":
            self = .stateNotRemoved(application: application, reason: reason)
        case "HistoryUnreadable":
            self = .historyUnreadable(application: application, reason: reason)
        case "NoSuchGeneration":
            self = .noSuchGeneration(
                application: application, generation: fields.generation ?? "",
                generations: fields.generations ?? [])
        case "GenerationUnreadable":
            self = .generationUnreadable(
                application: application, generation: fields.generation ?? "", reason: reason)
        case "QuarantineUnreadable":
            self = .quarantineUnreadable(application: application, reason: reason)
        case "NotInQuarantine":
            self = .notInQuarantine(application: application, name: fields.name ?? "")
        case "NotPutBack":
            self = .notPutBack(
                application: application, name: fields.name ?? "", cause: fields.cause ?? "",
                reason: reason)
        case "NotRolledBack":
            self = .notRolledBack(
                application: application, generation: fields.generation ?? "",
                cause: fields.cause ?? "", reason: reason)
        case "NotReset":
            self = .notReset(
                application: application, cause: fields.cause ?? "", reason: reason)
        case "NotReloaded": self = .notReloaded(application: application, reason: reason)
        case "ConfigurationRefused":
            self = .configurationRefused(problems: fields.problems ?? [])
        case "ReloadedInPart":
            self = .reloadedInPart(
                changed: fields.changed ?? [], waiting: fields.waiting ?? [],
                failures: fields.failures ?? [])
        case "DaemonEnding": self = .daemonEnding
        case "NoSuchObject": self = .noSuchObject(path: path, nearest: fields.nearest)
        case "NoSuchKey": self = .noSuchKey(path: path, key: fields.key ?? "")
        case "NotApplicable":
            self = .notApplicable(
                path: path, class: fields.class ?? "", method: fields.method ?? "")
        case "IndexOutOfRange":
            self = .indexOutOfRange(
                path: path, index: fields.index ?? 0, count: fields.count ?? 0)
        case "TooManyIndexes":
            self = .tooManyIndexes(
                path: path, given: fields.given ?? 0, most: fields.most ?? 0)
        case "NotPossible":
            self = .notPossible(
                path: fields.path, method: fields.method ?? "", reason: reason)
        case "NoSuchModelIdentifier":
            self = .noSuchModelIdentifier(path: path, identifier: fields.identifier ?? "")
        case "StateUnavailable":
            self = .stateUnavailable(path: path, reason: reason)
        case "TooManyCommands": self = .tooManyCommands(application: application)
        case "DebugExitsNotAllowed": self = .debugExitsNotAllowed
        case "NoSuchStage":
            self = .noSuchStage(stage: fields.stage ?? "", stages: fields.stages ?? [])
        case "RequestTooLarge": self = .requestTooLarge(maximumBytes: fields.maximumBytes ?? 0)
        case "InternalError": self = .internalError(message: fields.message ?? "")
        default: return nil
        }
    }
}
