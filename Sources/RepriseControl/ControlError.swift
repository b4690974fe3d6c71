import ExactText
import Varlink

extension ControlError: CustomStringConvertible {
    /// Sentence that states what failed, on which object, and what to do next.
    package var description: String {
        switch self {
        case .noSuchApplication(let application):
            "The daemon has no application \(application): `reprisectl list` shows its applications."
        case .ownedElsewhere(let application, let host, let reason):
            if let host {
                "\(application) runs on the host \(host) of the cluster: connect to that host."
            } else if let reason {
                "\(application) runs on no host of the cluster: \(reason)."
            } else {
                "It is not known which host of the cluster runs \(application): try again in a few seconds; "
                    + "`reprisectl cluster` shows the reason."
            }
        case .notInCluster(let application):
            (application.map { "\($0) belongs" } ?? "The daemon belongs")
                + " to no cluster: add it with `cluster` in the configuration."
        case .noSuchHost(let host, let hosts):
            "The cluster has no host \(Self.escapingLineBreaks(host)) now: its hosts are \(hosts.joined(separator: ", "))."
        case .notMoved(let application, let host, let reason):
            "\(application) does not run on \(host) now: \(reason)."
        case .notDrained(let reason, let staying):
            "Some applications could not be moved: \(reason)."
                + (staying.isEmpty
                    ? "" : " Still on this host: \(staying.joined(separator: ", ")).")
        case .clusterUnavailable(let reason):
            "The etcd servers did not execute the request: \(Self.withoutPeriod(reason))."
        case .notTakenOver(let application, let reason):
            "\(application) was not taken over by this host: \(Self.withoutPeriod(reason))."
        case .applicationNotRunning(let application):
            "\(application) is not running: `reprisectl --app \(application) launch` starts it."
        case .applicationRunning(let application):
            "\(application) is running already: `reprisectl --app \(application) quit` stops it."
        case .applicationFailed(let application, let reason):
            "\(application) could not be launched: \(reason)"
        case .noSuchScene(let application, let scene):
            "\(application) has no scene \(scene): `reprisectl list` shows its scenes."
        case .sceneExists(let application, let scene):
            "\(application) already has a scene \(scene): choose another name, or close that scene "
                + "first."
        case .invalidSceneName(let application, let scene, let reason):
            "\(application) cannot have a scene named \"\(Self.escapingLineBreaks(scene))\": \(reason)."
        case .sceneFailed(let application, let scene, let reason):
            "The scene \(scene) of \(application) could not be launched: \(reason)"
        case .sceneNotLaunched(let application, let scene):
            "The scene \(scene) of \(application) is saved but not launched: "
                + "`reprisectl --app \(application) open \(scene)` launches it."
        case .sceneNotSaved(let application, let scene, let reason):
            "The scene \(scene) of \(application) was not closed, because its latest state could not be "
                + "saved: \(reason)"
        case .stateNotRemoved(let application, let reason):
            "\(application) was not forced to quit, because its saved state could not be added to "
                + "its history: \(reason)"
        case .eventsGone(let instance, let number):
            "The requested events are no longer available: read the state again, and continue "
                + "with the events of \(instance) after \(number)."
        case .historyUnreadable(let application, let reason):
            "The history of \(application) cannot be read: \(reason)"
        case .noSnapshot(let application, let scene):
            "There is no snapshot of \(scene.map { "the scene \($0) of " } ?? "")\(application) "
                + "for this state: a snapshot is saved when the application stops, when a scene is "
                + "closed, and when a generation is created."
        case .noSuchGeneration(let application, let generation, let generations):
            "\(application) has no generation \"\(Self.escapingLineBreaks(generation))\": "
                + (generations.isEmpty
                    ? "its history is empty."
                    : "its generations are \(generations.joined(separator: ", ")).")
        case .generationUnreadable(let application, let generation, let reason):
            "The generation \(generation) of \(application) cannot be used: \(reason)"
        case .quarantineUnreadable(let application, let reason):
            "The quarantine of \(application) cannot be read: \(reason)"
        case .notInQuarantine(let application, let name):
            "\(application) has no file \"\(Self.escapingLineBreaks(name))\" in quarantine: "
                + "`reprisectl --app \(application) quarantine` lists the files."
        case .notBackedUp(let application, let reason):
            "\(application) was not backed up: \(reason)"
        case .notDeleted(let application, let name, let reason):
            "\(name) of \(application) was not deleted: \(reason)"
        case .notPutBack(let application, let name, let cause, let reason):
            "\(name) was not put back into \(application) (\(cause)): \(reason)"
        case .notRolledBack(let application, let generation, let cause, let reason):
            "\(application) was not rolled back to \(Self.escapingLineBreaks(generation)) (\(cause)): \(reason)"
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
                + "\nDo not remove any of the daemon's keys: not every file could be re-encrypted; "
                + "\(files) "
                + (files == 1 ? "file was." : "files were.")
        case .daemonEnding:
            "The daemon is stopping: start it again."
        case .noSuchObject(let path, let nearest):
            "There is no object at \(path.isEmpty ? "an empty path" : Self.escapingLineBreaks(path)): "
                + (nearest.map { "the nearest object above it is \($0), and " } ?? "")
                + "`reprisectl tree` shows all objects."
        case .noSuchKey(let path, let key):
            "\(path) has no value for the key \(Self.escapingLineBreaks(key)): `reprisectl get \(path)` shows all "
                + "keys."
        case .notApplicable(let path, let `class`, let method):
            "\(path) is a \(`class`), which \(method) does not apply to: "
                + "`reprisectl tree` shows the class of each object."
        case .indexOutOfRange(let path, let index, let count):
            count == 0
                ? "\(path) has no elements, so it has no element \(index)."
                : "\(path) has \(count) element\(count == 1 ? "" : "s"): the index \(index) is not in the range 0 to "
                    + "\(count - 1)."
        case .tooManyIndexes(let path, let given, let maximum):
            "\(path) accepts \(maximum == 1 ? "one index" : "at most \(maximum) indexes"), but \(given) "
                + "were given: specify only the \(maximum == 1 ? "index" : "indexes") to select."
        case .notPossible(let path, let method, let reason):
            "\(method) is not possible\(path.map { " at \($0)" } ?? ""): \(Self.withoutPeriod(reason))."
        case .unsavedChanges(let path, let method):
            "\(path) has unsaved changes, which \(method) would discard: save them first, or "
                + "omit keepChanges."
        case .textChanged(let path, _):
            "The text of \(path) has changed since the client read it: apply the change to the new text."
        case .noSuchModelIdentifier(let path, let identifier):
            "The model of \(path) has no element with the identifier \(Self.escapingLineBreaks(identifier)): "
                + "`reprisectl select \(path) INDEX` selects by index."
        case .noSuchCommand(let path, let command, let commands):
            "\(path) has no command \(Self.escapingLineBreaks(command)): "
                + (commands.isEmpty
                    ? "it provides no commands."
                    : "its commands are \(commands.joined(separator: ", ")).")
        case .wrongArgument(let path, let command, let argument, let reason):
            "The argument \(Self.escapingLineBreaks(argument)) of \(command) of \(path) is wrong: "
                + "\(Self.withoutPeriod(reason))."
        case .commandFailed(let path, let command, let reason):
            "\(path) did not carry out \(Self.escapingLineBreaks(command)): \(reason)"
        case .stateUnavailable(let path, let reason):
            "\(path) could not encode its state: \(reason)"
        case .tooManyCommands(let application):
            "\(application) has too many commands waiting: try again later."
        case .debugExitsNotAllowed:
            "The configuration does not allow debug exits: add debug: { exits: true } "
                + "to it."
        case .noSuchStage(let stage, let stages):
            "There is no stage \(stage): the stages are \(stages.joined(separator: ", "))."
        case .requestTooLarge(let maximumBytes):
            "The request is longer than the maximum of \(maximumBytes) bytes: send less, "
                + "or raise control.requestBytes in the configuration."
        case .tooManyConnections(let maximum):
            "The maximum of \(maximum) connections to the daemon has been reached: close some, "
                + "or raise control.connectionsPerUser in the configuration."
        case .internalError(let message):
            "The daemon failed: \(message); its log has details."
        }
    }

    /// Returns a reason without its final period, because the surrounding sentence ends with a period.
    private static func withoutPeriod(_ reason: String) -> Substring {
        reason.hasSuffix(".") ? reason.dropLast() : reason[...]
    }

    /// Returns text with escapes for all characters that would end the line.
    private static func escapingLineBreaks(_ text: String) -> String {
        text.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
    }
}
