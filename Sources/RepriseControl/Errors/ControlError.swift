/// The errors of ``ControlInterface``.
package enum ControlError: Error, Sendable, Equatable {
    case noSuchApplication(application: String)
    case applicationNotRunning(application: String)
    case applicationRunning(application: String)
    case applicationFailed(application: String, reason: String)
    case noSuchScene(application: String, scene: String)
    case sceneExists(application: String, scene: String)
    case invalidSceneName(application: String, scene: String, reason: String)
    case sceneFailed(application: String, scene: String, reason: String)
    case sceneNotLaunched(application: String, scene: String)
    case sceneNotSaved(application: String, scene: String, reason: String)
    case stateNotRemoved(application: String, reason: String)
    case historyUnreadable(application: String, reason: String)
    case noSuchGeneration(application: String, generation: String, generations: [String])
    case generationUnreadable(application: String, generation: String, reason: String)
    case quarantineUnreadable(application: String, reason: String)
    case notInQuarantine(application: String, name: String)
    /// - Parameter cause: a code.
    case notPutBack(application: String, name: String, cause: String, reason: String)
    case notRolledBack(application: String, generation: String, cause: String, reason: String)
    case notReset(application: String, cause: String, reason: String)
    case notReloaded(application: String, reason: String)
    /// - Parameter problems: each a line, `file:line:column: sentence` or a sentence.
    case configurationRefused(problems: [String])
    /// - Parameter failures: sentences.
    case reloadedInPart(changed: [String], waiting: [String], failures: [String])
    case daemonEnding
    case noSuchObject(path: String, nearest: String? = nil)
    case noSuchKey(path: String, key: String)
    case notApplicable(path: String, class: String, method: String)
    case indexOutOfRange(path: String, index: Int, count: Int)
    case tooManyIndexes(path: String, given: Int, most: Int)
    /// - Parameter path: of the object; nil: it was asked of the scene as a whole.
    case notPossible(path: String?, method: String, reason: String)
    case noSuchModelIdentifier(path: String, identifier: String)
    case stateUnavailable(path: String, reason: String)
    case tooManyCommands(application: String)
    case debugExitsNotAllowed
    case noSuchStage(stage: String, stages: [String])
    case requestTooLarge(maximumBytes: Int)
    case internalError(message: String)
}
