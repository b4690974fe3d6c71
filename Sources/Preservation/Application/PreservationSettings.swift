public import CoreMetrics
import Glibc
import LinuxIO
public import StateRestoration

/// How an application's state is saved, and by which clocks.
public struct PreservationSettings: Sendable {
    /// How often what was written is made durable, and what could not be saved is tried again
    /// (P14); above zero.
    public var interval: Duration
    /// How safe a change is before its command is answered.
    public var durability = Durability.written
    /// How long a launch waits for a restoration that was extended (R13).
    public var launchTimeout: Duration
    /// Whether every scene that was in use at the last stop is launched before the application takes
    /// commands (S3). Otherwise the configured ones are, or, if there are none, the one that was used
    /// last; the others follow one by one, those used last first, and one that a command names is
    /// launched for it.
    public var isLaunchEager = false
    /// A scene is closed that nobody has used for this long, or up to twice as long; nil: none is. What
    /// is saved of it stays, and a command that names it launches it again (S3).
    public var idleTime: Duration?
    /// After so many crashes in a row while a scene is launched it starts without its saved state
    /// (L2); at least 1.
    public var crashLimit: Int
    /// How large values may be (P9).
    public var limits: ValueLimits
    /// A turn that takes longer is told of: meanwhile nothing else is done for the application, and for
    /// others that share its executor.
    public var turnLimit = Duration.seconds(1)
    /// Whether every object of a scene is looked at after each command, up to some thousands, so that a
    /// change without `invalidateRestorableState()` is told where it was made; otherwise at the intervals
    /// that follow (P20). True in a debug build.
    public var looksForForgottenMarksAtOnce = isDebugBuild
    /// Bounds and interval of the generations.
    public var history = HistorySettings()
    /// How much damaged or refused state is kept.
    public var quarantine = QuarantineSettings()
    /// Counts the interval and the wait of a launch.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// The time of day: microseconds since 1970-01-01 UTC. Only shown and recorded, never
    /// compared.
    package var now: @Sendable () -> Int64 = timeOfDay
    /// Makes the metrics that count what is done; without another it is that of the process, see
    /// swift-metrics.
    public var metrics: any MetricsFactory = MetricsSystem.factory
    /// Is told what happens, for those who follow it; nil: nobody does.
    package var follower: (any ApplicationFollower)?
    /// What ends a turn after which commands still wait: it lets others come first who share the
    /// application's executor. An event loop has to look for I/O in it.
    package var endTurn: @Sendable () async -> Void = { await Task.yield() }
    /// How long a command waits for its change to be replicated, with ``Durability/replicated``.
    package var replicationTimeout = Duration.seconds(10)
    /// Whether the application runs on one of several hosts at a time: it is not launched before it is told
    /// that this is the one.
    package var isShared = false
    /// The operating system, as every coder answers it (P4).
    public var systemVersion = currentSystemVersion()

    /// How safe a change is before its command is answered.
    public enum Durability: String, Sendable, CaseIterable {
        /// It survives the end of the process, however it comes; a power cut loses at most what was
        /// changed within the interval.
        case written
        /// It survives a power cut. What all scenes changed meanwhile is made durable together.
        case commit
        /// It survives the host, where the daemon is one of a cluster; elsewhere as ``commit``.
        case replicated
    }

    /// Settings; what is left out has its default.
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

    private static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.microseconds
    }

    /// The operating system's name and release, as uname(2) tells them: `Linux 6.18.0`.
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
    /// This moment.
    func moment() -> Moment { Moment(time: now(), elapsed: clock.stopwatch()) }
}

/// A time of day, and how much time has passed since, which no change of the time of day changes.
struct Moment {
    /// Microseconds since 1970-01-01 UTC.
    let time: Int64
    /// How much time has passed since.
    let elapsed: () -> Duration
}

/// How many generations of an application are kept, and how often one is made.
public struct HistorySettings: Sendable, Equatable {
    /// How many there are at most; the oldest go. At least 1.
    public var count: Int
    /// How many bytes they have together at most; the oldest go, but never the newest one.
    public var bytes: Int
    /// How often one is made while the application runs, if anything changed; above zero.
    public var interval: Duration

    /// Settings; what is left out has its default.
    public init(count: Int = 16, bytes: Int = 64 << 20, interval: Duration = .seconds(3600)) {
        self.count = count
        self.bytes = bytes
        self.interval = interval
    }
}

/// How much of an application's damaged or refused state is kept in quarantine.
public struct QuarantineSettings: Sendable, Equatable {
    /// How many entries there are at most; the oldest go. At least 1.
    public var count: Int
    /// How many bytes they have together at most; the oldest go, but never the newest one.
    public var bytes: Int

    /// Settings; what is left out has its default.
    public init(count: Int = 16, bytes: Int = 64 << 20) {
        self.count = count
        self.bytes = bytes
    }
}
