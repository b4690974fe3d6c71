import Glibc
import SystemPackage

extension Installation {
    /// The whole as a package of this release installs it: units, user, programs, configuration.
    ///
    /// The socket is enabled; the service is not, so that it runs when a test says so.
    ///
    /// - Throws: ``MissingPrograms`` if `$REPRISE_PROGRAMS` names no folder with a static build.
    static func daemon(for debian: Debian) throws -> Installation {
        var whole = units(for: debian)
        let programs = try MissingPrograms.check(getenv("REPRISE_PROGRAMS"))
        for name in MissingPrograms.names {
            whole.addProgram(programs.appending(name), named: name)
        }
        let configuration = Repository.folder.appending("config")
        whole.add(configuration.appending("reprised.yaml"), to: "/etc/reprise/reprised.yaml")
        for name in ["ChildViews.yaml", "StateRestore.yaml", "Scrapbook.yaml"] {
            whole.add(
                configuration.appending("storyboards").appending(name),
                to: "/etc/reprise/storyboards/\(name)")
        }
        whole.add(
            Repository.folder.appending("Sources/RepriseControl/org.reprise.Control.varlink"),
            to: "/usr/share/varlink/org.reprise.Control.varlink")
        whole.enable("reprised.socket")
        return whole
    }
}

/// There are no programs to install.
struct MissingPrograms: Error, CustomStringConvertible {
    /// The programs that are needed.
    static let names = ["reprised", "reprisectl"]

    /// Where they were looked for; nil if no place was named.
    let folder: FilePath?

    /// What is missing, and what to do.
    var description: String {
        let place = folder.map { "no programs in $REPRISE_PROGRAMS, \($0)" }
        return "\(place ?? "$REPRISE_PROGRAMS is not set"): run "
            + "`swift build -c release --static-swift-stdlib`, and set it to the folder "
            + "`.build/release`."
    }

    /// The folder that a variable's value names, if the programs are in it.
    static func check(_ value: UnsafePointer<CChar>?) throws(MissingPrograms) -> FilePath {
        guard let value else { throw MissingPrograms(folder: nil) }
        let folder = FilePath(platformString: value)
        for name in names where access(folder.appending(name).string, X_OK) != 0 {
            throw MissingPrograms(folder: folder)
        }
        return folder
    }
}
