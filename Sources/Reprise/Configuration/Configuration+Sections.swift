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
