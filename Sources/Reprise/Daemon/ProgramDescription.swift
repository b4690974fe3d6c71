import ExactText

/// What a program is called, and in which version it is: in its log, to the clients of its control socket,
/// and in the names of its files.
public struct ProgramDescription: Sendable, Equatable {
    /// The program's name: `jobrunner`. Its configuration is `jobrunner.yaml`, with drop-ins in
    /// `jobrunner.d`.
    public var name: String
    /// The program's version.
    public var version: String
    /// The name of its folders, `/etc/jobrunner` for the configuration and others for state and socket. The
    /// program's name, unless it is set.
    public var folder: String
    /// The Unix group whose members may operate it, as its own user may. The program's name, unless it is
    /// set.
    public var group: String
    /// Who made it, as `org.varlink.service.GetInfo` tells.
    public var vendor = ""
    /// Where to read of it, as `org.varlink.service.GetInfo` tells.
    public var url = ""
    /// Whether it does not start without a configuration.
    var needsConfiguration = false
    /// Whether it hosts every application that it offers, each with the scene `main`, if its configuration
    /// names none.
    var hostsAllByDefault = true

    /// A program of this name and version.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
        folder = name
        group = name
    }

    /// The daemon of this package.
    package static let reprised: ProgramDescription = {
        var program = ProgramDescription(name: "reprised", version: Daemon.version)
        program.folder = "reprise"
        program.group = "reprise"
        program.vendor = "Reprise"
        program.url = "https://reprise.org"
        program.needsConfiguration = true
        program.hostsAllByDefault = false
        return program
    }()
}
