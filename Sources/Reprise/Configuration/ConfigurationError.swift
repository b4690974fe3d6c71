import ExactText
package import PositionedYAML

/// Reason why the configuration could not be loaded.
///
/// At startup, the daemon exits with this error. After a reload, the previous configuration remains active.
package enum ConfigurationError: Error, Sendable, Equatable {
    /// None of the files at these paths exists.
    case notFound(triedPaths: [String])
    /// The option `--config` has no value.
    case emptyOption
    /// A file or directory that exists or was specified cannot be read.
    case unreadable(FileReadError)
    /// A directory contains more drop-ins than the limit.
    case tooManyDropIns(directory: String, limit: Int)
    /// The files contain the given errors.
    case refused(PositionedErrors)
}

extension ConfigurationError: CustomStringConvertible {
    /// Sentence that describes the error.
    ///
    /// For ``refused(_:)``, the description has one line for each error, in the form `file:line:column: sentence`.
    package var description: String {
        switch self {
        case .notFound(let triedPaths):
            "there is no configuration (checked \(triedPaths.joined(separator: ", "))): "
                + "create one there, or specify one with --config FILE."
        case .emptyOption:
            "--config has no value: add the path of a configuration file."
        case .unreadable(let error):
            error.description
        case .tooManyDropIns(let directory, let limit):
            "\(directory) contains more than \(limit) drop-ins: combine some of them."
        case .refused(let errors):
            errors.description
        }
    }
}
