import ExactText
package import Logging
package import PositionedYAML
package import Preservation
package import StateRestoration

/// What `reprised.yaml` and its drop-ins say, checked, with defaults for what they leave out.
///
/// Two configurations are equal when they mean the same, wherever their lines stand.
package struct Configuration: Sendable, Equatable {
    /// The applications to host, at least one, in the order of the file; the first is the default
    /// of the command line.
    package var applications: [ConfiguredApplication]
    /// When state is made durable.
    package var preservation = Preservation()
    /// How what is saved is replicated.
    package var replication = Replication()
    /// The cluster that the daemon belongs to.
    package var cluster = Cluster()
    /// How many earlier archives are kept.
    package var history = HistorySettings()
    /// How much damaged or refused state is kept.
    package var quarantine = QuarantineSettings()
    /// How a launch is guarded.
    package var launch = Launch()
    /// How large values may be (rule P9); without a key the warning is never above the maximum.
    package var limits = ValueLimits()
    /// A turn that takes longer is told of.
    package var turnLimit = Duration.seconds(1)
    /// The control socket and what it accepts.
    package var control = Control()
    /// Where metrics are written.
    package var metrics = Metrics()
    /// What is logged.
    package var log = Log()
    /// Switches for tests and development.
    package var debug = Debug()

    /// A configuration of these applications, everything else at its default.
    package init(applications: [ConfiguredApplication]) {
        self.applications = applications
    }
}

/// One entry of the key `applications`.
package struct ConfiguredApplication: Sendable, Equatable {
    /// The scene of an application for which the configuration names none.
    package static let defaultScene = "main"
    /// The longest bundle identifier in bytes: with `.savedState` at its end it names a folder, and
    /// a name has at most 255 bytes (`NAME_MAX`).
    package static let longestBundleIdentifier = 255 - ".savedState".utf8.count

    /// Which application; unique in a configuration, and valid as the name of a folder. Whether the
    /// program knows it is for the caller to check; the position says where to report that it does
    /// not.
    package let bundleIdentifier: Positioned<String>
    /// The scenes made at its first start (rule S3), at least one, each valid by rule I5.
    package let scenes: [Positioned<String>]
    /// File names in the folder of storyboards, at least one; nil means the application's own
    /// choice.
    package let storyboards: [Positioned<String>]?
}

extension Configuration {
    /// The key `preservation`.
    package struct Preservation: Sendable, Equatable {
        /// The longest time that a written change stays without `fdatasync`.
        package var interval = Duration.seconds(5)
        /// What a command's reply waits for.
        package var durability = PreservationSettings.Durability.written
        /// By which key what is saved is encrypted.
        package var encryption = Encryption.none

        /// The values of `preservation.encryption`.
        package enum Encryption: String, Sendable, CaseIterable {
            /// By none.
            case none
            /// By that of a credential of the service's.
            case credential
        }
    }

    /// The key `replication`.
    package struct Replication: Sendable, Equatable {
        /// How long changes gather before they are replicated, unless replies wait for that.
        package var interval = Duration.milliseconds(100)
        /// How long a reply waits for its change to be replicated.
        package var timeout = Duration.seconds(10)
    }

    /// The key `cluster`.
    package struct Cluster: Sendable, Equatable {
        /// The cluster's name.
        package var name = "reprise"
        /// The name of this host in it; nil means that of the machine.
        package var host: String?
        /// The addresses of the etcd servers; empty means that there is no cluster.
        package var endpoints: [String] = []
        /// The file with the certificates of who vouches for the servers; nil means those that the system
        /// trusts.
        package var certificateAuthority: String?
        /// How long a host that is not heard of keeps what it owns.
        package var lease = Duration.seconds(5)
        /// The applications that may run on any host; empty means all.
        package var applications: [String] = []

        /// Whether there is a cluster.
        package var isConfigured: Bool { !endpoints.isEmpty }

        /// Whether an application may run on any host.
        package func takes(_ bundleIdentifier: String) -> Bool {
            isConfigured && (applications.isEmpty || applications.contains(bundleIdentifier))
        }
    }

    /// The key `launch`.
    package struct Launch: Sendable, Equatable {
        /// How many crashes while launching set a scene's state aside (rule L2).
        package var crashLimit = 1
        /// Whether READY waits for every scene that was in use (rule S3).
        package var eager = false
        /// After how long a scene is closed that nobody uses (rule S3); nil means never.
        package var idle: Duration?
        /// The longest time that a launch may stay in restoration (rule R13).
        package var timeout = Duration.seconds(30)
    }

    /// The key `control`.
    package struct Control: Sendable, Equatable {
        /// The path of the control socket; nil means the place that the environment gives.
        package var socket: String?
        /// The most connections of one user.
        package var connectionsPerUser = 128
        /// The largest request in bytes.
        package var requestBytes = 1 << 20
        /// How many bytes of replies the clients of one user may leave unread.
        package var unsentBytes = 64 << 20
        /// The Unix group whose members may look and not change; nil means nobody.
        package var observers: String?
    }

    /// The key `metrics`.
    package struct Metrics: Sendable, Equatable {
        /// The path of a file for a collector of others; nil means none.
        package var file: String?
    }

    /// The key `log`.
    package struct Log: Sendable, Equatable {
        /// The least level that is logged.
        package var level = Logger.Level.info
    }

    /// The key `debug`.
    package struct Debug: Sendable, Equatable {
        /// Whether a client may ask the daemon to end in a given way, for tests.
        package var exits = false
    }
}

extension PreservationSettings {
    /// What a configuration says of saving and launching.
    init(_ configuration: Configuration) {
        self.init(
            interval: configuration.preservation.interval,
            launchTimeout: configuration.launch.timeout,
            crashLimit: configuration.launch.crashLimit, limits: configuration.limits)
        isLaunchEager = configuration.launch.eager
        idleTime = configuration.launch.idle
        history = configuration.history
        quarantine = configuration.quarantine
        durability = configuration.preservation.durability
        turnLimit = configuration.turnLimit
        replicationTimeout = configuration.replication.timeout
    }
}
