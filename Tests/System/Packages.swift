import Glibc
import SystemPackage

/// The packages that `script/package` has built, for use in containers.
struct Packages: Sendable {
    /// The unchanged package.
    let built: FilePath

    /// The package of the web server.
    let web: FilePath

    /// The package with a higher version and a different configuration.
    let upgrade: FilePath

    /// Prepares the packages once.
    static let shared = Task { try await make() }

    private static func make() async throws -> Packages {
        let directory = Repository.directory.appending(".build/packages")
        let built = directory.appending("reprised.deb")
        let web = directory.appending("reprise-web.deb")
        for path in [built, web] where access(path.string, R_OK) != 0 {
            throw MissingPackage(path: path)
        }
        let upgrade = directory.appending("upgrade.deb")
        // The package is rebuilt without compression, which is fast.
        let line = """
            rm -rf "$1.d" && dpkg-deb -R "$0" "$1.d" && cd "$1.d"
            sed -i 's/^Version: .*/Version: 99-1/' DEBIAN/control
            echo '# of a later version' >>etc/reprise/reprised.yaml
            dpkg-deb --root-owner-group -Znone -b . "$1" && rm -rf "$1.d"
            """
        try await CommandResult.of("sh", "-euc", line, built.string, upgrade.string)
        return Packages(built: built, web: web, upgrade: upgrade)
    }
}

/// Error for a missing package.
struct MissingPackage: Error, CustomStringConvertible {
    /// Path that was checked.
    let path: FilePath

    /// Sentence that names the missing files, and what to do.
    var description: String { "\(path) is not there: run script/package." }
}
