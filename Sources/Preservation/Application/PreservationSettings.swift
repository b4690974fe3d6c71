public import CoreMetrics
import Glibc
import LinuxIO
public import StateRestoration

/// Settings that control when, where and how an application's state is saved.
public struct PreservationSettings: Sendable {
    /// Preservation interval: how often written state is made durable and failed saves are retried (P14).
    /// Must be above zero.
    public var interval: Duration
    /// Durability level that a change must reach before the reply to its command is sent.
    public var durability = Durability.written
    /// Maximum time that a launch waits for an extended restoration (R13).
    public var launchTimeout: Duration
    /// Whether every scene that was in use at the last stop is launched before the application accepts
    /// commands (S3).
    ///
    /// If it is false, the configured scenes are launched first, or the most recently used scene if none is
    /// configured. The other scenes follow one by one, the most recently used scene first. A command that
    /// names a scene launches it earlier.
    public var isLaunchEager = false
    /// Time after which an unused scene is closed, or `nil` if unused scenes stay open.
    ///
    /// The actual time until a scene is closed is between this time and twice this time. The scene's saved
    /// state is kept, and a command that names the scene launches it again (S3).
    public var idleTime: Duration?
    /// Number of consecutive crashes during the launch of a scene after which the scene starts without its
    /// saved state (L2). Must be at least 1.
    public var crashLimit: Int
    /// Size limits for values (P9).
    public var limits: ValueLimits
    /// Duration above which a turn is logged as slow.
    ///
    /// A turn blocks all other work of the application and of the applications that share its executor.
    public var turnLimit = Duration.seconds(1)
    /// Whether the objects of a scene, up to a few thousand of them, are checked for missed invalidations
    /// after each command.
    ///
    /// The warning about a missed invalidation then appears where the change was made. If it is false, the
    /// objects are checked at the following preservation intervals (P20). The default is true in a debug
    /// build.
    public var detectsMissedInvalidations = isDebugBuild
    /// Whether a launch continues without the values and collections that it could not restore.
    ///
    /// By default, the launch fails if a saved value or collection cannot be decoded and no migration converts it, or if
    /// the program does not declare it. The archive is not changed then. If this setting is true, such values have their
    /// initial values instead, and the launch report and the log name them.
    public var toleratesUnrestoredValues = false
    /// Limits and interval of the generations in the history.
    public var history = HistorySettings()
    /// Limits for damaged or refused state in quarantine.
    public var quarantine = QuarantineSettings()
    /// Clock for the intervals and for the launch timeout.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the wall-clock time in microseconds since 1970-01-01 UTC. It is only displayed and recorded,
    /// never compared.
    package var now: @Sendable () -> Int64 = timeOfDay
    /// Factory of the application's metrics. The default is the factory of the process, see swift-metrics.
    public var metrics: any MetricsFactory = MetricsSystem.factory
    /// Follower that receives the events of the application, or `nil` if there is none.
    package var follower: (any ApplicationFollower)?
    /// Called after a turn if commands are still waiting, so that other tasks on the application's executor
    /// can run.
    ///
    /// If the executor is an event loop, the function must let the event loop handle I/O.
    package var endTurn: @Sendable () async -> Void = { await Task.yield() }
    /// Maximum time that a command waits until its change is replicated, with ``Durability/replicated``.
    package var replicationTimeout = Duration.seconds(10)
    /// Whether the application runs on one of multiple hosts at a time. It is then launched only after this
    /// host has become its owner.
    package var isShared = false
    /// Name and release of the operating system, which every coder provides (P4).
    public var systemVersion = currentSystemVersion()

    /// Durability level that a change must reach before the reply to its command is sent.
    public enum Durability: String, Sendable, CaseIterable {
        /// The change survives the end of the process, for any reason. A power cut loses at most the changes
        /// of one preservation interval.
        case written
        /// The change survives a power cut. Changes of all scenes that are waiting are made durable together.
        case commit
        /// The change survives the loss of the host if the daemon is part of a cluster. Otherwise, this level
        /// equals ``commit``.
        case replicated
    }

    /// Creates settings. Each omitted argument has its default value.
    public init(
        interval: Duration = .seconds(5), launchTimeout: Duration = .seconds(30),
        crashLimit: Int = 1, limits: ValueLimits = ValueLimits()
    ) {
        self.interval = interval
        self.launchTimeout = launchTimeout
        self.crashLimit = crashLimit
        self.limits = limits
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Returns the time in microseconds since 1970-01-01 UTC.
    package static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.microseconds
    }

    /// Name and release of the operating system as returned by uname(2), for example `Linux 6.18.0`.
    private static func currentSystemVersion() -> String {
        func text<Field>(_ field: inout Field) -> String {
            withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        var name = utsname()
        guard uname(&name) == 0 else { return "Linux" }
        return "\(text(&name.sysname)) \(text(&name.release))"
    }
}

extension PreservationSettings {
    /// Returns the current moment.
    func moment() -> Moment { Moment(time: now(), elapsed: clock.stopwatch()) }
}

/// A wall-clock time, and a stopwatch that has been running since then and that no clock adjustment affects.
struct Moment {
    /// Wall-clock time in microseconds since 1970-01-01 UTC.
    let time: Int64
    /// Returns the time that has elapsed since the moment.
    let elapsed: () -> Duration
}

/// Limits for the generations of an application, and the interval at which they are added.
public struct HistorySettings: Sendable, Equatable {
    /// Maximum number of generations, at least 1. The oldest generations that exceed it are deleted.
    public var count: Int
    /// Maximum total size of the generations, in bytes. The oldest generations that exceed it are deleted,
    /// but never the newest one.
    public var bytes: Int
    /// Interval at which a generation is added while the application runs, if anything changed. Must be above
    /// zero.
    public var interval: Duration

    /// Creates settings. Each omitted argument has its default value.
    public init(count: Int = 16, bytes: Int = 64 << 20, interval: Duration = .seconds(3600)) {
        self.count = count
        self.bytes = bytes
        self.interval = interval
    }
}

/// Limits for an application's damaged or refused state in quarantine.
public struct QuarantineSettings: Sendable, Equatable {
    /// Maximum number of entries, at least 1. The oldest entries that exceed it are deleted.
    public var count: Int
    /// Maximum total size of the entries, in bytes. The oldest entries that exceed it are deleted, but never
    /// the newest one.
    public var bytes: Int

    /// Creates settings. Each omitted argument has its default value.
    public init(count: Int = 16, bytes: Int = 64 << 20) {
        self.count = count
        self.bytes = bytes
    }
}
