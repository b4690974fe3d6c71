public import CoreMetrics
import Glibc
import LinuxIO
public import StateRestoration
public import Tracing

/// Settings that control when, where and how an application saves its state.
public struct PreservationSettings: Sendable {
    /// Preservation interval, at which written state is made durable and failed saves are retried (P14). Must be
    /// greater than zero.
    public var interval: Duration
    /// Durability level that a change must reach before the reply to its command is sent.
    public var durability = Durability.written
    /// Maximum time that a launch waits for an extended restoration (R13).
    public var launchTimeout: Duration
    /// Whether all scenes that were in use at the last stop are launched before the application accepts commands (S3).
    ///
    /// If `false`, only the configured scenes are launched first, or the most recently used scene if no scene is
    /// configured. The other scenes are launched one at a time, most recently used scenes first. A command that
    /// addresses a scene launches it earlier.
    public var isLaunchEager = false
    /// Time after which an unused scene is closed, or `nil` if unused scenes stay open.
    ///
    /// A scene is closed after it has been unused for at least this duration and at most twice this duration. Its state
    /// remains saved, and a command that addresses the scene launches it again (S3).
    public var idleTimeout: Duration?
    /// Number of launches of a scene that must crash in a row before the scene is launched without its saved state
    /// (L2). Must be at least 1.
    public var crashLimit: Int
    /// Maximum sizes of values (P9).
    public var limits: ValueLimits
    /// Maximum duration of a turn. Longer turns are logged as slow.
    ///
    /// A turn blocks all other work in the application and in other applications on the same executor.
    public var maximumTurnDuration = Duration.seconds(1)
    /// Whether objects are checked for missed invalidations after each command.
    ///
    /// If `true`, up to a few thousand objects in a scene are checked, so that the warning about a missed invalidation
    /// is logged right after the change. If `false`, objects are checked only at the preservation interval (P20).
    /// The default is `true` in debug builds.
    public var detectsMissedInvalidations = isDebugBuild
    /// Whether a launch continues without values and collections that could not be restored.
    ///
    /// A saved value or collection cannot be restored if it cannot be decoded and no migration converts it, or if the
    /// program does not declare it. By default, the launch then fails and the archive is not changed. If this setting
    /// is `true`, the launch continues, and declared values that were not restored have their initial values. The next
    /// change of such a value replaces its saved state. The launch report lists everything that was not restored, and
    /// the log summarizes it.
    public var toleratesUnrestoredValues = false
    /// Limits for the generations in the history, and the interval at which they are added.
    public var history = HistorySettings()
    /// Limits for damaged or refused state in quarantine.
    public var quarantine = QuarantineSettings()
    /// Clock for the intervals and timeouts.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Function that returns the wall-clock time in microseconds since 1970-01-01 UTC.
    ///
    /// The time is displayed and recorded, and is compared only with deadlines of collection elements.
    package var now: @Sendable () -> Int64 = timeOfDay
    /// Factory for the application's metrics. The default is the process-wide factory from swift-metrics.
    public var metrics: any MetricsFactory = MetricsSystem.factory
    /// Tracer for the application's spans, or `nil` to create no spans.
    ///
    /// The span `reprise.update` covers a command that may change state, from the call until the reply. The spans
    /// `reprise.turn`, `reprise.pass` and `reprise.write` cover the steps that save changes, and `reprise.sync` covers
    /// the sync that makes the changes durable. Each span has the attribute `reprise.application`.
    public var tracer: (any Tracer)?
    /// Whether log entries contain the fields of journal messages: `MESSAGE_ID`, `REPRISE_APPLICATION` and so on.
    ///
    /// Set this to `true` if the logger writes to the systemd journal. By default, entries contain the short keys
    /// `application`, `scene`, `path`, `generation` and `reason`, so that they are easy to read on a terminal.
    public var usesJournalFields = false
    /// Whether operators can control the application with `reprisectl`, so that messages recommend its commands.
    ///
    /// If `false`, messages recommend calls of methods instead.
    package var hasControlSocket = false
    /// Follower that receives the application's events, or `nil` if there is no follower.
    package var follower: (any ApplicationEventFollower)?
    /// Function that is called after a turn if commands are still waiting, so that other tasks on the application's
    /// executor can run.
    ///
    /// If the executor is an event loop, the function must allow the event loop to handle I/O.
    package var yieldExecutor: @Sendable () async -> Void = { await Task.yield() }
    /// Maximum time that a command waits for its change to be replicated, if ``durability`` is
    /// ``Durability/replicated``.
    package var replicationTimeout = Duration.seconds(10)
    /// Whether several hosts share the application. If `true`, this host launches the application only while it is the
    /// owner.
    package var isClustered = false
    /// Name and release of the operating system. Coders provide this text to objects (P4).
    public var systemVersion = currentSystemVersion()

    /// Durability level that a change must reach before the reply to its command is sent.
    public enum Durability: String, Sendable, CaseIterable {
        /// The change survives even if the process crashes or is killed. A power cut loses at most the changes made
        /// during one preservation interval.
        case written
        /// The change survives a power cut. Waiting changes in all scenes are made durable together.
        case commit
        /// The change survives the loss of the host, if the daemon is part of a cluster. Otherwise, this level is
        /// equivalent to ``commit``.
        case replicated
    }

    /// Creates settings with default values for all omitted arguments.
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

    /// Returns the current time in microseconds since 1970-01-01 UTC.
    package static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.microseconds
    }

    /// Returns the name and release of the operating system from uname(2), such as `Linux 6.18.0`.
    private static func currentSystemVersion() -> String {
        func string<Field>(_ nameField: inout Field) -> String {
            withUnsafeBytes(of: &nameField) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
        var systemNames = utsname()
        guard uname(&systemNames) == 0 else { return "Linux" }
        return "\(string(&systemNames.sysname)) \(string(&systemNames.release))"
    }
}

extension PreservationSettings {
    /// Returns the current moment. Its stopwatch starts now.
    func currentMoment() -> Moment { Moment(time: now(), elapsed: clock.stopwatch()) }
}

/// Wall-clock time with a stopwatch. The stopwatch measures the time since that moment, regardless of clock
/// adjustments.
struct Moment: Sendable {
    /// Wall-clock time in microseconds since 1970-01-01 UTC.
    let time: Int64
    /// Closure that returns the time that has elapsed since this moment.
    let elapsed: @Sendable () -> Duration
}
