import ExactText
package import Logging
package import PositionedYAML
package import Preservation
package import StateRestoration

/// Validated contents of `reprised.yaml` and its drop-ins, with defaults for omitted keys.
///
/// Two configurations are equal if their values are equal, regardless of the positions in the files.
package struct Configuration: Sendable, Equatable {
    /// Applications to host, at least one, in the order of the file. The command line uses the first by default.
    package var applications: [ConfiguredApplication]
    /// Settings for the durability and encryption of saved state.
    package var preservation = Preservation()
    /// Settings for replicating saved state.
    package var replication = Replication()
    /// Cluster that the daemon belongs to.
    package var cluster = Cluster()
    /// Limits on the generations in the history.
    package var history = HistorySettings()
    /// Limits on the damaged or refused state in quarantine.
    package var quarantine = QuarantineSettings()
    /// Settings for launches and for recovery from crashes.
    package var launch = Launch()
    /// Size limits of values (rule P9). The default of the warning limit never exceeds the maximum.
    package var limits = ValueLimits()
    /// Duration after which a turn counts as slow and is logged.
    package var turnLimit = Duration.seconds(1)
    /// Control socket and its limits.
    package var control = Control()
    /// Destination of the metrics.
    package var metrics = Metrics()
    /// Settings of the log.
    package var log = Log()
    /// Switches for tests and development.
    package var debug = Debug()

    /// Creates a configuration for these applications, with defaults for all other values.
    package init(applications: [ConfiguredApplication]) {
        self.applications = applications
    }
}

/// Application listed under the key `applications`.
package struct ConfiguredApplication: Sendable, Equatable {
    /// Default scene of an application whose configuration names no scenes.
    package static let defaultScene = "main"
    /// Maximum length of a bundle identifier, in bytes.
    ///
    /// The identifier with the suffix `.savedState` is the name of a directory, and file names have at most 255
    /// bytes (`NAME_MAX`).
    package static let longestBundleIdentifier = 255 - ".savedState".utf8.count

    /// Bundle identifier, unique in a configuration and valid as a directory name.
    ///
    /// The caller must check whether the program contains the application, and report an unknown application at the
    /// position of the identifier.
    package let bundleIdentifier: Positioned<String>
    /// Scenes that are created when the application starts for the first time (rule S3). The array contains at least
    /// one name, and each name follows rule I5.
    package let scenes: [Positioned<String>]
    /// File names in the storyboard directory, at least one, or `nil` for the storyboards that the application
    /// declares.
    package let storyboards: [Positioned<String>]?
}

extension Configuration {
    /// Values of the key `preservation`.
    package struct Preservation: Sendable, Equatable {
        /// Maximum time that a written change waits for `fdatasync`.
        package var interval = Duration.seconds(5)
        /// Durability level that a command's reply waits for.
        package var durability = PreservationSettings.Durability.written
        /// Source of the encryption key for saved state.
        package var encryption = Encryption.none

        /// Values of `preservation.encryption`.
        package enum Encryption: String, Sendable, CaseIterable {
            /// Saved state is not encrypted.
            case none
            /// The key is in a credential of the service.
            case credential
        }
    }

    /// Values of the key `replication`.
    package struct Replication: Sendable, Equatable {
        /// Time for which the daemon collects changes before it replicates them, unless replies wait for
        /// replication.
        package var interval = Duration.milliseconds(100)
        /// Maximum time that a reply waits for its change to be replicated.
        package var timeout = Duration.seconds(10)
    }

    /// Values of the key `cluster`.
    package struct Cluster: Sendable, Equatable {
        /// Name of the cluster.
        package var name = "reprise"
        /// Name of this host in the cluster, or `nil` for the host name of the machine.
        package var host: String?
        /// Addresses of the etcd servers. If the array is empty, the daemon belongs to no cluster.
        package var endpoints: [String] = []
        /// Path of the file with the certificates of the authorities that sign the servers' certificates, or `nil`
        /// for the authorities that the system trusts.
        package var certificateAuthority: String?
        /// Time for which a host that cannot be reached still owns its applications.
        package var lease = Duration.seconds(5)
        /// Applications that may run on any host. If the array is empty, every application may run on any host.
        package var applications: [String] = []

        /// Whether the daemon belongs to a cluster.
        package var isConfigured: Bool { !endpoints.isEmpty }

        /// Returns whether an application may run on any host of the cluster.
        package func includes(_ bundleIdentifier: String) -> Bool {
            isConfigured && (applications.isEmpty || applications.contains(bundleIdentifier))
        }
    }

    /// Values of the key `launch`.
    package struct Launch: Sendable, Equatable {
        /// Number of crashes during launches after which a scene's state is quarantined (rule L2).
        package var crashLimit = 1
        /// Whether READY waits for every scene that was in use (rule S3).
        package var eager = false
        /// Time without use after which a scene is closed (rule S3), or `nil` to keep scenes open.
        package var idle: Duration?
        /// Maximum time that a launch may spend restoring state (rule R13).
        package var timeout = Duration.seconds(30)
    }

    /// Values of the key `control`.
    package struct Control: Sendable, Equatable {
        /// Path of the control socket, or `nil` for the path that the environment provides.
        package var socket: String?
        /// Maximum number of connections per user.
        package var connectionsPerUser = 128
        /// Maximum size of a request, in bytes.
        package var requestBytes = 1 << 20
        /// Maximum size of the replies that the clients of one user have not read yet, in bytes.
        package var unsentBytes = 64 << 20
        /// Unix group whose members may read state but not change it, or `nil` for no group.
        package var observers: String?
    }

    /// Values of the key `metrics`.
    package struct Metrics: Sendable, Equatable {
        /// Path of the file that a metrics collector reads, or `nil` to write no file.
        package var file: String?
    }

    /// Values of the key `log`.
    package struct Log: Sendable, Equatable {
        /// Minimum level of logged messages.
        package var level = Logger.Level.info
    }

    /// Values of the key `debug`.
    package struct Debug: Sendable, Equatable {
        /// Whether clients may make the daemon crash or exit, for tests.
        package var exits = false
    }
}

extension PreservationSettings {
    /// Creates the settings for saving and launching that a configuration specifies.
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
