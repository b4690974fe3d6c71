package import PositionedYAML

/// What `reprised.yaml` and its drop-ins say, checked, with defaults for what they leave out.
///
/// Two configurations are equal when they mean the same, wherever their lines stand.
package struct Configuration: Sendable, Equatable {
    /// The applications to host, at least one, in the order of the file; the first is the default
    /// of the command line.
    package var applications: [ConfiguredApplication]
    /// When state is made durable.
    package var preservation = Preservation()
    /// How many earlier archives are kept.
    package var history = History()
    /// How much damaged or refused state is kept.
    package var quarantine = Quarantine()
    /// How a launch is guarded.
    package var launch = Launch()
    /// How large values may be.
    package var limits = Limits()
    /// The control socket and what it accepts.
    package var control = Control()
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

    /// Makes an entry.
    package init(
        bundleIdentifier: Positioned<String>, scenes: [Positioned<String>],
        storyboards: [Positioned<String>]?
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.scenes = scenes
        self.storyboards = storyboards
    }
}

extension Configuration {
    /// The key `preservation`.
    package struct Preservation: Sendable, Equatable {
        /// The longest time that a written change stays without `fdatasync`.
        package var interval = Duration.seconds(5)
        /// What a command's reply waits for.
        package var durability = Durability.written
    }

    /// What a command's reply waits for.
    package enum Durability: String, Sendable, CaseIterable {
        /// The change is in the archive by `write(2)`: it survives the end of the process.
        case written
        /// The change is synced: it survives a power cut.
        case commit
    }

    /// The key `history`.
    package struct History: Sendable, Equatable {
        /// The most generations of one application.
        package var count = 16
        /// The most bytes that the generations of one application may take.
        package var bytes = 64 << 20
        /// The time between generations that nothing else asks for.
        package var interval = Duration.seconds(3600)
    }

    /// The key `quarantine`.
    package struct Quarantine: Sendable, Equatable {
        /// The most entries of one application.
        package var count = 16
        /// The most bytes that the entries of one application may take.
        package var bytes = 64 << 20
    }

    /// The key `launch`.
    package struct Launch: Sendable, Equatable {
        /// How many crashes while launching set a scene's state aside (rule L2).
        package var crashLimit = 1
        /// The longest time that a launch may stay in restoration (rule R13).
        package var timeout = Duration.seconds(30)
    }

    /// The key `limits`.
    package struct Limits: Sendable, Equatable {
        /// The size in bytes above which a value is reported (rule P9); when it is not written and
        /// `state` is below its default, it is `state`.
        package var stateWarning = 1 << 20
        /// The size in bytes above which a value is refused (rule P9).
        package var state = 16 << 20
    }

    /// The key `control`.
    package struct Control: Sendable, Equatable {
        /// The path of the control socket; nil means the place that the environment gives.
        package var socket: String?
        /// The most connections of one user.
        package var connectionsPerUser = 128
        /// The largest request in bytes.
        package var requestBytes = 1 << 20
        /// The Unix group whose members may look and not change; nil means nobody.
        package var observers: String?
    }

    /// The key `log`.
    package struct Log: Sendable, Equatable {
        /// The least level that is logged.
        package var level = LogLevel.info
    }

    /// The levels of swift-log, by their names there.
    package enum LogLevel: String, Sendable, CaseIterable {
        /// Everything.
        case trace
        /// For those who look for an error in the program.
        case debug
        /// What happens in the normal course.
        case info
        /// What an operator may want to know.
        case notice
        /// What may become an error.
        case warning
        /// What went wrong.
        case error
        /// What needs an operator at once.
        case critical
    }

    /// The key `debug`.
    package struct Debug: Sendable, Equatable {
        /// Whether a client may ask the daemon to end in a given way, for tests.
        package var exits = false
    }
}
