import ExactText
package import Logging
package import PositionedYAML
package import Preservation
package import StateRestoration

/// Validated contents of `reprised.yaml` and its drop-ins, with defaults for omitted keys.
///
/// Two configurations are equal if their values are equal, regardless of the positions in the files.
package struct Configuration: Sendable, Equatable {
    /// Applications to host, in the order of the file.
    ///
    /// There is at least one application. Commands that name no application apply to the first.
    package var applications: [ConfiguredApplication]
    /// Settings for the durability and encryption of saved state.
    package var preservation = Preservation()
    /// Settings for replicating saved state.
    package var replication = Replication()
    /// Settings for the cluster that the daemon belongs to.
    package var cluster = Cluster()
    /// Limits on the generations in the history.
    package var history = HistorySettings()
    /// Limits on the damaged or refused state in quarantine.
    package var quarantine = QuarantineSettings()
    /// Settings for launches and for recovery from crashes.
    package var launch = Launch()
    /// Size limits for values (rule P9).
    ///
    /// The default warning limit never exceeds the maximum.
    package var limits = ValueLimits()
    /// Duration above which a turn is logged as slow.
    package var maximumTurnDuration = Duration.seconds(1)
    /// Control socket and its limits.
    package var control = Control()
    /// Destination of the metrics.
    package var metrics = Metrics()
    /// Settings for the log.
    package var log = Log()
    /// Settings for tests and development.
    package var debug = Debug()

    /// Creates a configuration for the given applications, with defaults for all other values.
    package init(applications: [ConfiguredApplication]) {
        self.applications = applications
    }
}

/// Application listed under the `applications` key.
package struct ConfiguredApplication: Sendable, Equatable {
    /// Name of the scene of an application whose configuration lists no scenes.
    package static let defaultScene = "main"
    /// Maximum length of a bundle identifier, in bytes.
    ///
    /// With the suffix `.savedState`, the identifier becomes the name of a directory, and file names are limited to 255
    /// bytes (`NAME_MAX`).
    package static let maximumBundleIdentifierBytes = 255 - ".savedState".utf8.count

    /// Bundle identifier, which is unique in a configuration and valid as a directory name.
    ///
    /// The caller must check that the program contains the application, and report an unknown application at the
    /// position of the identifier.
    package let bundleIdentifier: Positioned<String>
    /// Scenes that are created when the application starts for the first time (rule S3).
    ///
    /// The array contains at least one name, and each name follows rule I5.
    package let scenes: [Positioned<String>]
    /// File names of at least one storyboard in the storyboard directory, or `nil` for the storyboards that the
    /// application declares.
    package let storyboards: [Positioned<String>]?
}

extension Configuration {
    /// Values in the `preservation` section.
    package struct Preservation: Sendable, Equatable {
        /// Maximum time before a written change is made durable with `fdatasync`.
        package var interval = Duration.seconds(5)
        /// Durability level that a change must reach before the reply to its command is sent.
        package var durability = PreservationSettings.Durability.written
        /// Source of the encryption key for saved state.
        package var encryption = Encryption.none

        /// Possible values of `preservation.encryption`.
        package enum Encryption: String, Sendable, CaseIterable {
            /// Saved state is not encrypted.
            case none
            /// The key is a credential of the service.
            case credential
        }
    }

    /// Values in the `replication` section.
    package struct Replication: Sendable, Equatable {
        /// Time for which the daemon collects changes before it replicates them, unless replies are waiting for
        /// replication.
        package var interval = Duration.milliseconds(100)
        /// Maximum time that a reply waits for its change to be replicated.
        package var timeout = Duration.seconds(10)
    }

    /// Values in the `cluster` section.
    package struct Cluster: Sendable, Equatable {
        /// Name of the cluster.
        package var name = "reprise"
        /// Name of this host in the cluster, or `nil` for the machine's host name.
        package var host: String?
        /// Addresses of the etcd servers, or an empty array if the daemon belongs to no cluster.
        package var endpoints: [String] = []
        /// Path of a file with the certificates of the authorities that sign the servers' certificates, or `nil` for
        /// the authorities that the system trusts.
        package var certificateAuthorityPath: String?
        /// Time for which an unreachable host still owns its applications.
        package var leaseDuration = Duration.seconds(5)
        /// Applications that may run on any host, or an empty array if every application may run on any host.
        package var applications: [String] = []

        /// Whether the daemon belongs to a cluster.
        package var isConfigured: Bool { !endpoints.isEmpty }

        /// Returns whether an application may run on any host in the cluster.
        package func includes(_ bundleIdentifier: String) -> Bool {
            isConfigured && (applications.isEmpty || applications.contains(bundleIdentifier))
        }
    }

    /// Values in the `launch` section.
    package struct Launch: Sendable, Equatable {
        /// Number of crashes during launch after which a scene's state is quarantined (rule L2).
        package var crashLimit = 1
        /// Whether the daemon reports that it is ready only after it has launched all scenes that were in use (rule
        /// S3).
        package var launchesEagerly = false
        /// Time for which a scene may be unused before it is closed (rule S3), or `nil` to keep scenes open.
        package var idleTimeout: Duration?
        /// Maximum time that a launch may take to restore state (rule R13).
        package var timeout = Duration.seconds(30)
    }

    /// Values in the `control` section.
    package struct Control: Sendable, Equatable {
        /// Path of the control socket, or `nil` for the path that the environment determines.
        package var socketPath: String?
        /// Maximum number of connections per user.
        package var maximumConnectionsPerUser = 128
        /// Maximum size of a request, in bytes.
        package var maximumRequestBytes = 1 << 20
        /// Maximum total size, in bytes, of replies that one user's clients have not read yet.
        package var maximumUnreadBytesPerUser = 64 << 20
        /// Unix group whose members may read state but not change it, or `nil` for no group.
        package var observerGroup: String?
    }

    /// Values in the `metrics` section.
    package struct Metrics: Sendable, Equatable {
        /// Path of the file for a metrics collector, or `nil` to write no file.
        package var filePath: String?
    }

    /// Values in the `log` section.
    package struct Log: Sendable, Equatable {
        /// Minimum level of logged messages.
        package var level = Logger.Level.info
    }

    /// Values in the `debug` section.
    package struct Debug: Sendable, Equatable {
        /// Whether clients may make the daemon exit or crash, for tests.
        package var allowsDebugExit = false
    }
}

extension PreservationSettings {
    /// Creates preservation settings from a configuration.
    init(_ configuration: Configuration) {
        self.init(
            interval: configuration.preservation.interval,
            launchTimeout: configuration.launch.timeout,
            crashLimit: configuration.launch.crashLimit, limits: configuration.limits)
        isLaunchEager = configuration.launch.launchesEagerly
        idleTimeout = configuration.launch.idleTimeout
        history = configuration.history
        quarantine = configuration.quarantine
        durability = configuration.preservation.durability
        maximumTurnDuration = configuration.maximumTurnDuration
        replicationTimeout = configuration.replication.timeout
        usesJournalFields = true
        hasControlSocket = true
    }
}
