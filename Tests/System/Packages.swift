import Glibc
import SystemPackage

/// The packages that `script/package` has made, ready for containers.
struct Packages: Sendable {
    /// The package as it is.
    let built: FilePath

    /// The same with a higher version and another shipped configuration.
    let upgrade: FilePath

    /// Looks for them once.
    static let made = Task { try await make() }

    private static func make() async throws -> Packages {
        let folder = Repository.folder.appending(".build/packages")
        let built = folder.appending("reprised.deb")
        guard access(built.string, R_OK) == 0 else { throw MissingPackage(path: built) }
        let upgrade = folder.appending("upgrade.deb")
        // Packed anew without compression, which takes no time.
        let line = """
            rm -rf "$1.d" && dpkg-deb -R "$0" "$1.d" && cd "$1.d"
            sed -i 's/^Version: .*/Version: 99-1/' DEBIAN/control
            echo '# of a later version' >>etc/reprise/reprised.yaml
            dpkg-deb --root-owner-group -Znone -b . "$1" && rm -rf "$1.d"
            """
        try await CommandResult.of("sh", "-euc", line, built.string, upgrade.string)
        return Packages(built: built, upgrade: upgrade)
    }
}

/// There is no package to install.
struct MissingPackage: Error, CustomStringConvertible {
    /// Where it was looked for.
    let path: FilePath

    /// What is missing, and what to do.
    var description: String { "\(path) is not there: run script/package." }
}
