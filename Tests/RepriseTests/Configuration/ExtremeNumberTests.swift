import PositionedYAML
import Preservation
import TestSupport
import Testing

@testable import Reprise

/// Extreme numbers as the value of every key of the configuration.
@Suite struct ExtremeNumberTests {
    @Test(arguments: ConfigurationKey.all.map(\.name))
    func `no number crashes the daemon, and a refused number is reported with its line`(
        name: String
    )
        throws
    {
        let parts = name.split(separator: ".")
        let units = ["", "ms", "s", "m", "h", "KiB", "MiB", "GiB"]
        for number in ExtremeNumbers.texts {
            for value in units.map({ number + $0 }) + ["[\(number)]", "\"\(number)\""] {
                let text = """
                    applications: [{ bundleIdentifier: org.example.Panel }]
                    \(parts[0]): { \(parts[1]): \(value) }
                    """
                let fileReader = MemoryConfigurationFileReader(["/c/reprised.yaml": text])
                do throws(ConfigurationError) {
                    let loaded = try LoadedConfiguration.load(
                        option: "/c/reprised.yaml", environment: [:], fileReader: fileReader)
                    _ = PreservationSettings(loaded.configuration)
                } catch {
                    #expect("\(error)".contains("/c/reprised.yaml:2:"), "\(name): \(value)")
                }
            }
        }
    }
}
