package import PositionedYAML

/// Why there is no configuration. The daemon does not start with any of these, and goes on with
/// the configuration it has when it was asked to read it anew.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// No file in any of these places.
    case notFound(tried: [String])
    /// `--config` was given without a path.
    case emptyOption
    /// A file or folder that is there, or was named, and cannot be read.
    case unreadable(FileReadError)
    /// There are more drop-ins than ``LoadedConfiguration/mostDropIns``; their folder.
    case tooManyDropIns(folder: String)
    /// What the files say is wrong; everything that is.
    case refused(PositionedErrors)
}

extension ConfigurationError: CustomStringConvertible {
    /// One sentence; for ``refused(_:)`` one line for each problem, `file:line:column: sentence`.
    package var description: String {
        switch self {
        case .notFound(let tried):
            "there is no configuration (looked for \(tried.joined(separator: ", "))): "
                + "write one there, or name one with --config FILE."
        case .emptyOption:
            "--config has no value: write the path of a configuration after it."
        case .unreadable(let error):
            error.description
        case .tooManyDropIns(let folder):
            "\(folder) holds more than \(LoadedConfiguration.mostDropIns) drop-ins: join some."
        case .refused(let errors):
            errors.description
        }
    }
}
