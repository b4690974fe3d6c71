import ExactText
import Preservation
import Synchronization

/// State of the daemon itself, excluding its applications.
///
/// All parts of the daemon share this object.
final class DaemonState: Sendable {
    /// Values that are read and changed together.
    struct Values: Sendable, Equatable {
        /// Current configuration, including reloaded values that take effect without a restart.
        var configuration: Configuration
        /// Errors in the most recently read configuration, one per line, or `nil` if that configuration is valid.
        var configurationError: String?
        /// Changes that take effect at the next restart, each as a phrase.
        var changesAtRestart: [String] = []
        /// Reasons why some changes to files may not be detected, keyed by path.
        var watchProblems: [ExactString: String] = [:]
        /// Warnings about the configuration.
        var warnings: [ConfigurationWarning] = []
        /// Sentences about problems that prevent clients from reaching the daemon, keyed by the path of the control
        /// socket.
        var controlSocketProblems: [ExactString: String] = [:]
        /// Whether the daemon is reloading its configuration and storyboards.
        var isReloading = false
    }

    /// Stream that yields after each change to the values.
    ///
    /// The stream supports only one consumer.
    let changes: AsyncStream<Void>
    private let changeContinuation: AsyncStream<Void>.Continuation
    /// Broadcast that is sent after each change to the values, for any number of subscribers.
    let changeBroadcast = Broadcast()
    private let state: Mutex<Values>

    init(_ configuration: Configuration) {
        state = Mutex(Values(configuration: configuration))
        (changes, changeContinuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Current values.
    var values: Values { state.withLock { $0 } }

    /// Time for which the daemon collects saved changes before it replicates them.
    var replicationInterval: Duration {
        state.withLock { values in
            values.configuration.preservation.durability == .replicated
                ? .zero : values.configuration.replication.interval
        }
    }

    /// Replaces the current warnings, and returns the warnings that are new.
    func updateWarnings(_ warnings: [ConfigurationWarning]) -> [ConfigurationWarning] {
        let previousWarnings = values.warnings
        update { $0.warnings = warnings }
        return warnings.filter { !previousWarnings.contains($0) }
    }

    /// Changes the values.
    ///
    /// - Returns: Whether the values differ from the previous values.
    @discardableResult
    func update(_ body: (inout Values) -> Void) -> Bool {
        let isChanged = state.withLock { values in
            let previousValues = values
            body(&values)
            return values != previousValues
        }
        if isChanged {
            changeContinuation.yield()
            changeBroadcast.send()
        }
        return isChanged
    }
}
