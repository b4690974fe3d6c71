import LinuxIO
import Testing

@testable import Reprise

@Suite struct ConfigurationFixtureTests {
    static let folder = #filePath.containingFolder.appendingPath("Fixtures")

    /// If the directory of fixtures cannot be listed, the tests must fail.
    @Test func `all fixtures are found`() throws {
        let names = try Self.names()
        #expect(names.count == 35)
        #expect(names.first == "01-least")
    }

    @Test(arguments: try Self.names())
    func `each configuration fixture is loaded or refused as expected`(name: String) throws {
        let folder = Self.folder.appendingPath(name)
        let expected = try LocalConfigurationFiles().read("\(folder)/expected", limit: 1 << 16)
        #expect(Self.outcome(folder: folder) == String(decoding: expected, as: UTF8.self))
    }

    private static func names() throws -> [String] {
        try LocalConfigurationFiles().names(in: folder).sorted()
    }

    /// Returns the dump or the error, with paths relative to the fixture's directory.
    static func outcome(folder: String) -> String {
        let text: String
        do {
            text = ConfigurationDump.dump(
                try LoadedConfiguration.load(option: "\(folder)/in/reprised.yaml", environment: [:])
            )
        } catch {
            text = "\(error)\n"
        }
        return text.split(separator: "\(folder)/in/", omittingEmptySubsequences: false).joined()
    }
}
