import LinuxIO
import Testing

@testable import Reprise

@Suite struct ConfigurationFixtureTests {
    static let directory = #filePath.containingDirectory.appendingPath("Fixtures")

    /// If the directory of fixtures cannot be listed, the tests must fail.
    @Test func `all fixtures are found`() throws {
        let names = try Self.names()
        #expect(names.count == 35)
        #expect(names.first == "01-least")
    }

    @Test(arguments: try Self.names())
    func `each configuration fixture is loaded or refused as expected`(name: String) throws {
        let directory = Self.directory.appendingPath(name)
        let expected = try LocalConfigurationFileReader().read(
            "\(directory)/expected", limit: 1 << 16)
        #expect(Self.outcome(directory: directory) == String(decoding: expected, as: UTF8.self))
    }

    private static func names() throws -> [String] {
        try LocalConfigurationFileReader().names(in: directory).sorted()
    }

    /// Returns the dump or the error, with paths relative to the fixture's directory.
    static func outcome(directory: String) -> String {
        let text: String
        do {
            text = ConfigurationDump.dump(
                try LoadedConfiguration.load(
                    option: "\(directory)/in/reprised.yaml", environment: [:])
            )
        } catch {
            text = "\(error)\n"
        }
        return text.split(separator: "\(directory)/in/", omittingEmptySubsequences: false).joined()
    }
}
