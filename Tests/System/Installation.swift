import SystemPackage

/// What is put into a container's root before it boots.
struct Installation: Sendable {
    /// One file: where it comes from, where it goes, and its mode in octal.
    struct File: Sendable {
        let source: FilePath
        let destination: String
        let mode: String
    }

    /// The files.
    private(set) var files: [File] = []

    /// Whether people log in: with managers of users, shells that complete, and man.
    var hasLogins = false

    /// The units that are enabled.
    private(set) var enabledUnits: [String] = []

    /// Adds a file, owned by root.
    ///
    /// - Parameters:
    ///   - source: A file of the machine that runs the tests.
    ///   - destination: Where it goes in the container, from `/` on.
    ///   - mode: Its mode in octal.
    mutating func add(_ source: FilePath, to destination: String, mode: String = "644") {
        files.append(File(source: source, destination: destination, mode: mode))
    }

    /// Has a unit started at boot.
    mutating func enable(_ unit: String) {
        enabledUnits.append(unit)
    }

    /// A program in `/usr/bin`.
    mutating func addProgram(_ source: FilePath, named name: String) {
        add(source, to: "/usr/bin/\(name)", mode: "755")
    }

    /// The units and the user of `systemd/`, as a package of this release installs them.
    static func units(for debian: Debian) -> Installation {
        let source = Repository.folder.appending("systemd")
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
