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
