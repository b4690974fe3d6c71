import Logging
import Synchronization

/// From which level on is logged, for all loggers that were made with it; can be changed at any
/// time.
final class LiveLogLevel: Sendable {
    private static let levels = Logger.Level.allCases
    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    /// The level.
    var level: Logger.Level {
        get { Self.levels[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        levels.firstIndex(of: level) ?? 0
    }
}

/// Hands what is logged on to another handler, from a level on that is shared and can be changed.
struct LiveLogHandler: LogHandler {
    private var base: any LogHandler
    private let shared: LiveLogLevel
    /// What one logger leaves out beside that.
    private var own = Logger.Level.trace

    init(_ base: any LogHandler, _ shared: LiveLogLevel) {
        self.base = base
        self.shared = shared
    }

    /// The shared level, unless the one that was set is higher.
    var logLevel: Logger.Level {
        get { max(own, shared.level) }
        set { own = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}
