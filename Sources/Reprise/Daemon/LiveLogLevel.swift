import Logging
import Synchronization

/// Minimum level of logged messages. Several loggers share it, and it can change at any time.
final class LiveLogLevel: Sendable {
    private static let allLevels = Logger.Level.allCases
    /// Index of the current level in ``allLevels``.
    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// Current level.
    var level: Logger.Level {
        get { Self.allLevels[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        allLevels.firstIndex(of: level) ?? 0
    }
}

/// Log handler that forwards messages at or above a shared level to another handler.
struct LiveLogHandler: LogHandler {
    private var baseHandler: any LogHandler
    private let sharedLevel: LiveLogLevel
    /// Level of this logger alone. It applies in addition to the shared level.
    private var ownLevel = Logger.Level.trace

    init(_ baseHandler: any LogHandler, _ sharedLevel: LiveLogLevel) {
        self.baseHandler = baseHandler
        self.sharedLevel = sharedLevel
    }

    /// Shared level or the logger's own level, whichever is higher.
    var logLevel: Logger.Level {
        get { max(ownLevel, sharedLevel.level) }
        set { ownLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { baseHandler.metadata }
        set { baseHandler.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { baseHandler.metadataProvider }
        set { baseHandler.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { baseHandler[metadataKey: key] }
        set { baseHandler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { baseHandler.log(event: event) }
}
