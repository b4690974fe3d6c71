/// Why an application did not run a command.
public enum ApplicationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The application has ended, or has not been launched.
    case notRunning(application: String)
    /// The application could not be launched.
    case failed(application: String, reason: String)
    /// The application has no scene of that name.
    case noSuchScene(application: String, scene: String, scenes: [String])
    /// More commands are waiting than the application takes.
    case tooManyCommands(application: String, limit: Int)
    /// The application is running already.
    case alreadyRunning(application: String)
    /// The program ends, and with it the application.
    case ending(application: String)

    /// One sentence: what, which application, what to do.
    public var description: String {
        switch self {
        case .notRunning(let application):
            "\(application) is not running: launch it first"
        case .failed(let application, let reason):
            "\(application) could not be launched: \(reason)"
        case .noSuchScene(let application, let scene, let scenes):
            "\(application) has no scene \"\(scene)\": it has \(scenes.joined(separator: ", "))"
        case .tooManyCommands(let application, let limit):
            "\(application) has \(limit) commands waiting: try again later"
        case .alreadyRunning(let application):
            "\(application) is running already: quit it first"
        case .ending(let application):
            "\(application) is not launched, because the program that hosts it is ending"
        }
    }
}
