import ExactText
import Preservation
import Synchronization

/// What there is to know of the daemon itself, beside its applications; shared by its parts.
final class DaemonCondition: Sendable {
    /// The values, which belong together.
    struct Values: Sendable, Equatable {
        /// The configuration in force, as far as it can change while the daemon runs.
        var configuration: Configuration
        /// The errors of the configuration that was read last, a line each; nil if there are none.
        var configurationError: String?
        /// What takes effect at the next restart; clauses.
        var waiting: [String] = []
        /// Why changes of files are not all noticed, by their paths.
        var notWatched: [ExactString: String] = [:]
        /// Doubtful things of the configuration.
        var doubts: [Doubt] = []
        /// Why clients cannot reach the daemon, one sentence for each path of a control socket.
        var controlSocketProblems: [ExactString: String] = [:]
        /// Whether configuration and storyboards are being taken over.
        var isReloading = false
    }

    /// Tells that there is something new to say. For one task alone.
    let changes: AsyncStream<Void>
    private let changeFeed: AsyncStream<Void>.Continuation
    /// Told when the values change, for others.
    let updates = Broadcast()
    private let state: Mutex<Values>

    init(_ configuration: Configuration) {
        state = Mutex(Values(configuration: configuration))
        (changes, changeFeed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The values now.
    var values: Values { state.withLock { $0 } }

    /// How long what is saved gathers before it is replicated.
    var replicationInterval: Duration {
        state.withLock { values in
            values.configuration.preservation.durability == .replicated
                ? .zero : values.configuration.replication.interval
        }
    }

    /// Takes over what of the configuration is doubtful; gives what was not before.
    func newDoubts(_ doubts: [Doubt]) -> [Doubt] {
        let before = values.doubts
        update { $0.doubts = doubts }
        return doubts.filter { !before.contains($0) }
    }

    /// Changes the values.
    ///
    /// - Returns: whether they are others then.
    @discardableResult
    func update(_ body: (inout Values) -> Void) -> Bool {
        let isChanged = state.withLock { values in
            let before = values
            body(&values)
            return values != before
        }
        if isChanged {
            changeFeed.yield()
            updates.send()
        }
        return isChanged
    }
}
