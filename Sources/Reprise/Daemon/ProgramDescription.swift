import ExactText

/// Name and version of a program, for use in its log, in replies to clients, and in file names.
public struct ProgramDescription: Sendable, Equatable {
    /// Name of the program, such as `jobrunner`.
    ///
    /// The program's configuration is `jobrunner.yaml`, with drop-ins in `jobrunner.d`.
    public var name: String
    /// Version of the program.
    public var version: String
    /// Name of the program's directories for configuration (such as `/etc/jobrunner`), state and socket.
    ///
    /// The default is the name of the program.
    public var directoryName: String
    /// Unix group whose members may operate the program, in addition to the program's own user.
    ///
    /// The default is the name of the program.
    public var group: String
    /// Vendor of the program, as reported by `org.varlink.service.GetInfo`.
    public var vendor = ""
    /// URL of the program's website, as reported by `org.varlink.service.GetInfo`.
    public var url = ""
    /// Whether the program refuses to start without a configuration.
    var needsConfiguration = false
    /// Whether the program hosts all of its applications if its configuration lists none.
    ///
    /// Each of these applications has the scene `main`.
    var hostsAllByDefault = true

    /// Creates a description with a name and a version.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
        directoryName = name
        group = name
    }

    /// Version of Reprise.
    static let repriseVersion = "0.1.0"

    /// Description of `reprised`, the daemon in this package.
    package static let reprised: ProgramDescription = {
        var program = ProgramDescription(name: "reprised", version: repriseVersion)
        program.directoryName = "reprise"
        program.group = "reprise"
        program.vendor = "Reprise"
        program.url = "https://reprise.org"
        program.needsConfiguration = true
        program.hostsAllByDefault = false
        return program
    }()
}
