import Glibc
import SystemPackage

extension Installation {
    /// Returns a complete installation, as from the package for this release: units, user, programs and configuration.
    ///
    /// The socket is enabled. The service is not enabled, so that tests decide when it runs.
    ///
    /// - Throws: ``MissingPrograms`` if `$REPRISE_PROGRAMS` does not contain a directory with a static build.
    static func daemon(for debian: Debian) throws -> Installation {
        var whole = units(for: debian)
        let programs = try MissingPrograms.check(getenv("REPRISE_PROGRAMS"))
        for name in MissingPrograms.names {
            whole.addProgram(programs.appending(name), named: name)
        }
        let configuration = Repository.directory.appending("config")
        whole.add(configuration.appending("reprised.yaml"), to: "/etc/reprise/reprised.yaml")
        for name in ["ChildViews.yaml", "StateRestore.yaml", "Scrapbook.yaml"] {
            whole.add(
                configuration.appending("storyboards").appending(name),
                to: "/etc/reprise/storyboards/\(name)")
        }
        whole.add(
            Repository.directory.appending("Sources/RepriseControl/org.reprise.Control.varlink"),
            to: "/usr/share/varlink/org.reprise.Control.varlink")
        whole.enable("reprised.socket")
        return whole
    }
}

/// Error for missing programs.
struct MissingPrograms: Error, CustomStringConvertible {
    /// Names of the required programs.
    static let names = ["reprised", "reprisectl"]

    /// Directory that was searched, or `nil` if no directory was specified.
    let directory: FilePath?

    /// Sentence that names the missing files, and what to do.
    var description: String {
        let place = directory.map { "no programs in $REPRISE_PROGRAMS, \($0)" }
        return "\(place ?? "$REPRISE_PROGRAMS is not set"): run "
            + "`swift build -c release --static-swift-stdlib`, and set it to the directory "
            + "`.build/release`."
    }

    /// Returns the directory in an environment variable, if it contains the programs.
    static func check(_ value: UnsafePointer<CChar>?) throws(MissingPrograms) -> FilePath {
        guard let value else { throw MissingPrograms(directory: nil) }
        let directory = FilePath(platformString: value)
        for name in names where access(directory.appending(name).string, X_OK) != 0 {
            throw MissingPrograms(directory: directory)
        }
        return directory
    }
}
