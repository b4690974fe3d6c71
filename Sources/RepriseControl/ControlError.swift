import ExactText
package import Varlink

/// Error of the control interface.
///
/// Each case has the name and the fields of a Varlink error: `noSuchScene` is sent as `NoSuchScene`. The interface
/// definition describes each error.
package enum ControlError: Error, Codable, Sendable, Equatable {
    case noSuchApplication(application: String)
    case applicationNotRunning(application: String)
    case applicationRunning(application: String)
    /// - Parameters:
    ///   - host: Host that runs the application, or `nil` if no host currently runs it.
    ///   - reason: Phrase that says why no host runs it, or `nil` if the reason is not known.
    case ownedElsewhere(application: String, host: String? = nil, reason: String? = nil)
    case notInCluster(application: String? = nil)
    case noSuchHost(host: String, hosts: [String])
    case notMoved(application: String, host: String, reason: String)
    /// - Parameter staying: Applications that still run on this host.
    case notDrained(reason: String, staying: [String])
    /// - Parameter reason: A sentence.
    case clusterUnavailable(reason: String)
    /// - Parameter reason: A phrase.
    case notTakenOver(application: String, reason: String)
    case applicationFailed(application: String, reason: String)
    case noSuchScene(application: String, scene: String)
    case sceneExists(application: String, scene: String)
    case invalidSceneName(application: String, scene: String, reason: String)
    case sceneFailed(application: String, scene: String, reason: String)
    case sceneNotLaunched(application: String, scene: String)
    case sceneNotSaved(application: String, scene: String, reason: String)
    case stateNotRemoved(application: String, reason: String)
    case eventsGone(instance: String, number: Int)
    case historyUnreadable(application: String, reason: String)
    case noSuchGeneration(application: String, generation: String, generations: [String])
    case noSnapshot(application: String, scene: String?)
    case generationUnreadable(application: String, generation: String, reason: String)
    case quarantineUnreadable(application: String, reason: String)
    case notInQuarantine(application: String, name: String)
    /// - Parameter reason: A sentence.
    case notBackedUp(application: String, reason: String)
    /// - Parameter reason: A sentence.
    case notDeleted(application: String, name: String, reason: String)
    /// - Parameter cause: Code, listed in the interface definition.
    case notPutBack(application: String, name: String, cause: String, reason: String)
    case notRolledBack(application: String, generation: String, cause: String, reason: String)
    case notReset(application: String, cause: String, reason: String)
    case notReloaded(application: String, reason: String)
    /// - Parameter problems: Lines, each in the format `file:line:column: sentence` or a sentence.
    case configurationRefused(problems: [String])
    /// - Parameter problems: Sentences.
    case startFailed(problems: [String])
    /// - Parameter failures: Sentences.
    case reloadedInPart(changed: [String], waiting: [String], failures: [String])
    case rekeyedInPart(key: String?, files: Int, failures: [String])
    case daemonEnding
    case noSuchObject(path: String, nearest: String? = nil)
    case noSuchKey(path: String, key: String)
    case notApplicable(path: String, class: String, method: String)
    case indexOutOfRange(path: String, index: Int, count: Int)
    case tooManyIndexes(path: String, given: Int, most: Int)
    /// - Parameter path: Path of the object, or `nil` if the method applies to the whole scene.
    case notPossible(path: String?, method: String, reason: String)
    /// - Parameter path: Path of the controller that has the changes.
    case unsavedChanges(path: String, method: String)
    case noSuchModelIdentifier(path: String, identifier: String)
    /// - Parameter commands: Signatures of the commands of the object, such as `retry(job: int) -> string`.
    case noSuchCommand(path: String, command: String, commands: [String])
    /// - Parameters:
    ///   - command: Signature of the command.
    ///   - reason: A phrase.
    case wrongArgument(path: String, command: String, argument: String, reason: String)
    case commandFailed(path: String, command: String, reason: String)
    case stateUnavailable(path: String, reason: String)
    case tooManyCommands(application: String)
    case debugExitsNotAllowed
    case noSuchStage(stage: String, stages: [String])
    case requestTooLarge(maximumBytes: Int)
    case tooManyConnections(most: Int)
    case internalError(message: String)
}

extension ControlError {
    /// Returns the Varlink error to reply with.
    ///
    /// - Throws: `EncodingError`, which no error of this interface causes.
    package func varlinkError() throws -> VarlinkError {
        // An encoded case is an object with one member: the name of the case, with its fields as the value.
        let encoded = try VarlinkError(name: "", encoding: self)
            .parameters(as: [String: StateJSON].self)
        let (name, fields) = encoded[encoded.startIndex]
        return try VarlinkError(
            name: Self.prefix + name.prefix(1).uppercased() + name.dropFirst(), encoding: fields)
    }

    /// Creates an error from the Varlink error in a reply.
    ///
    /// The result is `nil` if the error belongs to another interface, is unknown, or has different fields.
    package init?(_ error: VarlinkError) {
        guard error.name.hasPrefix(Self.prefix) else { return nil }
        let name = error.name.dropFirst(Self.prefix.count)
        do {
            let fields = try error.parameters(as: StateJSON.self)
            let member = [name.prefix(1).lowercased() + name.dropFirst(): fields]
            self = try VarlinkError(name: "", encoding: member).parameters(as: Self.self)
        } catch {
            return nil
        }
    }

    private static var prefix: String { "\(ControlInterface.name)." }
}

extension ControlError: CustomStringConvertible {
    /// Sentence for the user that says what failed, on which object, and what to do.
    package var description: String {
        switch self {
        case .noSuchApplication(let application):
            "The daemon has no application \(application): `reprisectl list` shows those it has."
        case .ownedElsewhere(let application, let host, let reason):
            if let host {
                "\(application) runs on the host \(host) of the cluster: ask there."
            } else if let reason {
                "\(application) runs on no host of the cluster: \(reason)."
            } else {
                "No host of the cluster is known to run \(application) now: try again in some seconds; "
                    + "`reprisectl cluster` shows the reason."
            }
        case .notInCluster(let application):
            (application.map { "\($0) belongs" } ?? "The daemon belongs")
                + " to no cluster: add it with `cluster` in the configuration."
        case .noSuchHost(let host, let hosts):
            "The cluster has no host \(Self.shown(host)) now: it has \(hosts.joined(separator: ", "))."
        case .notMoved(let application, let host, let reason):
            "\(application) does not run on \(host) now: \(reason)."
        case .notDrained(let reason, let staying):
            "Not everything has moved away: \(reason)."
                + (staying.isEmpty ? "" : " Still here: \(staying.joined(separator: ", ")).")
        case .clusterUnavailable(let reason):
            "The cluster's servers did not execute the request: \(Self.clause(reason))."
        case .notTakenOver(let application, let reason):
            "\(application) was not taken over by this host: \(Self.clause(reason))."
        case .applicationNotRunning(let application):
            "\(application) is not running: `reprisectl --app \(application) launch` starts it."
        case .applicationRunning(let application):
            "\(application) is running already: `reprisectl --app \(application) quit` stops it."
        case .applicationFailed(let application, let reason):
            "\(application) could not be launched: \(reason)"
        case .noSuchScene(let application, let scene):
            "\(application) has no scene \(scene): `reprisectl list` shows those it has."
        case .sceneExists(let application, let scene):
            "\(application) has a scene \(scene) already: open one with another name, or close it "
                + "first."
        case .invalidSceneName(let application, let scene, let reason):
            "\(application) cannot have a scene named \"\(Self.shown(scene))\": \(reason)."
        case .sceneFailed(let application, let scene, let reason):
            "The scene \(scene) of \(application) could not be launched: \(reason)"
        case .sceneNotLaunched(let application, let scene):
            "The scene \(scene) of \(application) is saved and not launched: "
                + "`reprisectl --app \(application) open \(scene)` launches it."
        case .sceneNotSaved(let application, let scene, let reason):
            "The scene \(scene) of \(application) stays open, because its last state could not be "
                + "saved: \(reason)"
        case .stateNotRemoved(let application, let reason):
            "\(application) was not quit by force, because its saved state could not be added to "
                + "its history: \(reason)"
        case .eventsGone(let instance, let number):
            "The requested events are no longer available: read the state again, and continue "
                + "with the events of \(instance) after \(number)."
        case .historyUnreadable(let application, let reason):
            "The history of \(application) cannot be read: \(reason)"
        case .noSnapshot(let application, let scene):
            "There is no snapshot of \(scene.map { "the scene \($0) of " } ?? "")\(application) "
                + "for this state: a snapshot is saved when the application stops, when a scene is "
                + "closed, and when a generation is made."
        case .noSuchGeneration(let application, let generation, let generations):
            "\(application) has no generation \"\(Self.shown(generation))\": "
                + (generations.isEmpty
                    ? "there is none yet." : "there are \(generations.joined(separator: ", ")).")
        case .generationUnreadable(let application, let generation, let reason):
            "The generation \(generation) of \(application) cannot be used: \(reason)"
        case .quarantineUnreadable(let application, let reason):
            "The quarantine of \(application) cannot be read: \(reason)"
        case .notInQuarantine(let application, let name):
            "\(application) has nothing named \"\(Self.shown(name))\" in quarantine: "
                + "`reprisectl --app \(application) quarantine` shows what is there."
        case .notBackedUp(let application, let reason):
            "\(application) was not backed up: \(reason)"
        case .notDeleted(let application, let name, let reason):
            "\(name) of \(application) was not deleted: \(reason)"
        case .notPutBack(let application, let name, let cause, let reason):
            "\(name) was not put back into \(application) (\(cause)): \(reason)"
        case .notRolledBack(let application, let generation, let cause, let reason):
            "\(application) did not go back to \(Self.shown(generation)) (\(cause)): \(reason)"
        case .notReset(let application, let cause, let reason):
            "\(application) was not reset (\(cause)): \(reason)"
        case .notReloaded(let application, let reason):
            "\(application) was not reloaded and continues as before: \(reason); `reprisectl "
                + "reload` tries again"
        case .configurationRefused(let problems):
            problems.joined(separator: "\n")
        case .startFailed(let problems):
            "The daemon cannot start: \(problems.joined(separator: "\n"))"
        case .reloadedInPart(let changed, _, let failures):
            failures.joined(separator: "\n")
                + (changed.isEmpty ? "" : "\nApplied: \(changed.joined(separator: ", ")).")
        case .rekeyedInPart(_, let files, let failures):
            failures.joined(separator: "\n")
                + "\nKeep every key that the daemon has now: not every file could be written "
                + "again; \(files) "
                + (files == 1 ? "was." : "were.")
        case .daemonEnding:
            "The daemon is stopping: start it again."
        case .noSuchObject(let path, let nearest):
            "There is no object at \(path.isEmpty ? "an empty path" : Self.shown(path)): "
                + (nearest.map { "the nearest above it is \($0), and " } ?? "")
                + "`reprisectl tree` shows all objects."
        case .noSuchKey(let path, let key):
            "\(path) has nothing under the key \(Self.shown(key)): `reprisectl get \(path)` shows all "
                + "keys."
        case .notApplicable(let path, let `class`, let method):
            "\(path) is a \(`class`), which \(method) does not apply to: "
                + "`reprisectl tree` shows the class of each object."
        case .indexOutOfRange(let path, let index, let count):
            count == 0
                ? "\(path) has no elements, so there is none numbered \(index)."
                : "\(path) has \(count) element\(count == 1 ? "" : "s"): \(index) is not one of 0 to "
                    + "\(count - 1)."
        case .tooManyIndexes(let path, let given, let most):
            "\(path) takes \(most == 1 ? "one index" : "at most \(most) indexes") and was given "
                + "\(given): name \(most == 1 ? "the one" : "those") to select."
        case .notPossible(let path, let method, let reason):
            "\(method) is not possible\(path.map { " at \($0)" } ?? ""): \(Self.clause(reason))."
        case .unsavedChanges(let path, let method):
            "\(path) holds changes that are not saved, which \(method) would discard: save them first, or "
                + "leave keepChanges out."
        case .noSuchModelIdentifier(let path, let identifier):
            "The model of \(path) has nothing with the identifier \(Self.shown(identifier)): "
                + "`reprisectl select \(path) INDEX` selects by index."
        case .noSuchCommand(let path, let command, let commands):
            "\(path) has no command \(Self.shown(command)): "
                + (commands.isEmpty
                    ? "it provides none." : "it has \(commands.joined(separator: ", ")).")
        case .wrongArgument(let path, let command, let argument, let reason):
            "The argument \(Self.shown(argument)) of \(command) of \(path) is wrong: "
                + "\(Self.clause(reason))."
        case .commandFailed(let path, let command, let reason):
            "\(path) did not carry out \(Self.shown(command)): \(reason)"
        case .stateUnavailable(let path, let reason):
            "\(path) could not encode its state: \(reason)"
        case .tooManyCommands(let application):
            "\(application) has too many commands waiting: try again later."
        case .debugExitsNotAllowed:
            "The configuration does not allow debug exits: write debug: { exits: true } "
                + "into it."
        case .noSuchStage(let stage, let stages):
            "There is no stage \(stage): the stages are \(stages.joined(separator: ", "))."
        case .requestTooLarge(let maximumBytes):
            "The request has more than the \(maximumBytes) bytes that are accepted: send less, "
                + "or raise control.requestBytes in its configuration."
        case .tooManyConnections(let most):
            "There are already \(most) connections to the daemon, the maximum: close some, "
                + "or raise control.connectionsPerUser in its configuration."
        case .internalError(let message):
            "The daemon failed: \(message); its log has details."
        }
    }

    /// Returns a reason without its full stop, because the surrounding sentence ends with one.
    private static func clause(_ reason: String) -> Substring {
        reason.hasSuffix(".") ? reason.dropLast() : reason[...]
    }

    /// Returns text in which characters that would end the line are escaped.
    private static func shown(_ text: String) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
