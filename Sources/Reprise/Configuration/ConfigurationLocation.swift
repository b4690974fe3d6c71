/// Where a configuration lies, and what lies beside it.
package struct ConfigurationLocation: Sendable, Equatable {
    /// The path of the file itself.
    package let file: String

    /// Makes a location from the path of the file; relative paths stay relative.
    package init(file: String) { self.file = file }

    /// The folder of the file.
    package var folder: String { file.containingFolder }
    /// The folder of the storyboards, `storyboards` beside the file.
    package var storyboards: String { folder.appendingPath("storyboards") }
    /// The folder of the drop-ins, `reprised.d` beside the file.
    package var dropIns: String { folder.appendingPath("reprised.d") }

    /// The places where a configuration is looked for, the first that has one wins: the folders of
    /// `$CONFIGURATION_DIRECTORY` (`systemd.exec(5)`; joined by colons), then `/etc/reprise`.
    ///
    /// - Parameter environment: The environment of the process.
    package static func places(environment: [String: String]) -> [ConfigurationLocation] {
        let folders = DaemonLocations.folders("CONFIGURATION_DIRECTORY", environment)
        return (folders + ["/etc/reprise"]).map {
            ConfigurationLocation(file: $0.appendingPath("reprised.yaml"))
        }
    }
}
