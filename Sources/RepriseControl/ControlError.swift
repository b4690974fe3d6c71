package import Varlink

/// The errors of ``ControlInterface``, with the sentence that a person reads for each.
package enum ControlError: Error, Sendable, Equatable {
    case noSuchApplication(application: String)
    case applicationNotRunning(application: String)
    case applicationRunning(application: String)
    case applicationFailed(application: String, reason: String)
    case noSuchScene(application: String, scene: String)
    case noSuchObject(path: String)
    case noSuchKey(path: String, key: String)
    case notApplicable(path: String, class: String, method: String)
    case indexOutOfRange(path: String, index: Int, count: Int)
    case tooManyIndexes(path: String, given: Int, most: Int)
    case stateUnavailable(path: String, reason: String)
    case tooManyCommands(application: String)
    case requestTooLarge(maximumBytes: Int)
    case internalError(message: String)
}

extension ControlError: CustomStringConvertible {
    /// One sentence: what, which object, what to do.
    package var description: String {
        switch self {
        case .noSuchApplication(let application):
            "The daemon has no application \(application): `reprisectl list` shows those it has."
        case .applicationNotRunning(let application):
            "\(application) is not running: `reprisectl --app \(application) launch` starts it."
        case .applicationRunning(let application):
            "\(application) is running already: `reprisectl --app \(application) quit` ends it."
        case .applicationFailed(let application, let reason):
            "\(application) could not be launched: \(reason)"
        case .noSuchScene(let application, let scene):
            "\(application) has no scene \(scene): `reprisectl list` shows those it has."
        case .noSuchObject(let path):
            "There is no object at \(path): `reprisectl tree` shows all objects."
        case .noSuchKey(let path, let key):
            "\(path) has nothing under the key \(key): `reprisectl get \(path)` shows all keys."
        case .notApplicable(let path, let `class`, let method):
            "\(path) is a \(`class`), which \(method) does not apply to: "
                + "`reprisectl tree` shows the class of each object."
        case .indexOutOfRange(let path, let index, let count):
            count == 0
                ? "\(path) has no elements, so \(index) cannot be selected."
                : "\(path) has \(count) elements: \(index) is not one of 0 to \(count - 1)."
        case .tooManyIndexes(let path, let given, let most):
            "\(path) takes \(most == 1 ? "one index" : "at most \(most) indexes") and was given "
                + "\(given): name \(most == 1 ? "the one" : "those") to select."
        case .stateUnavailable(let path, let reason):
            "\(path) could not tell its state: \(reason)"
        case .tooManyCommands(let application):
            "\(application) has too many commands waiting: try again later."
        case .requestTooLarge(let maximumBytes):
            "The request has more than the \(maximumBytes) bytes that the daemon takes: send less, "
                + "or raise control.requestBytes in its configuration."
        case .internalError(let message):
            "The daemon failed: \(message); its log tells more."
        }
    }
}

extension ControlError {
    private struct Fields: Codable {
        var application: String?
        var reason: String?
        var scene: String?
        var path: String?
        var key: String?
        var `class`: String?
        var method: String?
        var index: Int?
        var count: Int?
        var given: Int?
        var most: Int?
        var maximumBytes: Int?
        var message: String?
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
        case .noSuchObject(let path):
            name = "NoSuchObject"
            fields.path = path
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
        case .stateUnavailable(let path, let reason):
            name = "StateUnavailable"
            fields.path = path
            fields.reason = reason
        case .tooManyCommands(let application):
            name = "TooManyCommands"
            fields.application = application
        case .requestTooLarge(let maximumBytes):
            name = "RequestTooLarge"
            fields.maximumBytes = maximumBytes
        case .internalError(let message):
            name = "InternalError"
            fields.message = message
        }
        return try VarlinkError(name: "\(ControlInterface.name).\(name)", encoding: fields)
    }

    /// The error that a reply carries; nil if it is of another interface or of another shape.
    package init?(_ error: VarlinkError) {
        let prefix = ControlInterface.name + "."
        guard error.name.hasPrefix(prefix), let fields = try? error.parameters(as: Fields.self)
        else { return nil }
        let application = fields.application ?? ""
        let path = fields.path ?? ""
        switch error.name.dropFirst(prefix.count) {
        case "NoSuchApplication": self = .noSuchApplication(application: application)
        case "ApplicationNotRunning": self = .applicationNotRunning(application: application)
        case "ApplicationRunning": self = .applicationRunning(application: application)
        case "ApplicationFailed":
            self = .applicationFailed(application: application, reason: fields.reason ?? "")
        case "NoSuchScene":
            self = .noSuchScene(application: application, scene: fields.scene ?? "")
        case "NoSuchObject": self = .noSuchObject(path: path)
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
        case "StateUnavailable":
            self = .stateUnavailable(path: path, reason: fields.reason ?? "")
        case "TooManyCommands": self = .tooManyCommands(application: application)
        case "RequestTooLarge": self = .requestTooLarge(maximumBytes: fields.maximumBytes ?? 0)
        case "InternalError": self = .internalError(message: fields.message ?? "")
        default: return nil
        }
    }
}
