import SystemPackage

/// Files to install in the root directory of a container before it boots.
struct Installation: Sendable {
    /// A file with its source, its destination, and its mode in octal.
    struct File: Sendable {
        let source: FilePath
        let destination: String
        let mode: String
    }

    /// The files to install.
    private(set) var files: [File] = []

    /// Whether users can log in. This includes user managers, shell completions and man.
    var hasLogins = false

    /// The units to enable.
    private(set) var enabledUnits: [String] = []

    /// Adds a file that is owned by root.
    ///
    /// - Parameters:
    ///   - source: A file on the machine that runs the tests.
    ///   - destination: The absolute path in the container.
    ///   - mode: The mode in octal.
    mutating func add(_ source: FilePath, to destination: String, mode: String = "644") {
        files.append(File(source: source, destination: destination, mode: mode))
    }

    /// Enables a unit, which then starts at boot.
    mutating func enable(_ unit: String) {
        enabledUnits.append(unit)
    }

    /// Adds a program in `/usr/bin`.
    mutating func addProgram(_ source: FilePath, named name: String) {
        add(source, to: "/usr/bin/\(name)", mode: "755")
    }

    /// Returns the units and the user in `systemd/`, as the package for this release installs them.
    static func units(for debian: Debian) -> Installation {
        let source = Repository.directory.appending("systemd")
        let system = "/usr/lib/systemd/system"
        var units = Installation()
        for name in ["reprised.service", "reprised.socket"] {
            units.add(source.appending(name), to: "\(system)/\(name)")
        }
        if debian.takesDropIns {
            let dropIn = "reprised.service.d/50-systemd-257.conf"
            units.add(source.appending(dropIn), to: "\(system)/\(dropIn)")
        }
        units.add(
            source.appending("reprise.sysusers.conf"), to: "/usr/lib/sysusers.d/reprise.conf")
        units.add(
            source.appending("reprise.catalog"), to: "/usr/lib/systemd/catalog/reprise.catalog")
        return units
    }
}
