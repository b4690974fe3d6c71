import ExactText
import FoundationEssentials
import LinuxIO
import Preservation
import Testing

@testable import Reprise

/// The tables of keys in docs/configuration.md, compared with the keys that the daemon reads.
@Suite struct DocumentedKeysTests {
    /// Row of the tables.
    private struct Row {
        let section: Substring
        let key: Substring
        /// Format of the value, for example `number, 1 to 100`.
        let format: Substring
        /// Default value as YAML.
        let defaultValue: Substring

        /// Minimum and maximum, or `nil` if the format is not a range.
        var range: (minimum: Substring, maximum: Substring)? {
            let words = format.split(separator: ",").dropFirst().first?.split(separator: " ") ?? []
            guard words.count == 3, words[1] == "to" else { return nil }
            return (words[0], words[2])
        }
    }

    private static func rows() throws -> [Row] {
        let directory = #filePath.containingDirectory.containingDirectory.containingDirectory
            .containingDirectory
        let bytes = try Data(contentsOf: URL(filePath: "\(directory)/docs/configuration.md"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: " | ").map { $0.split(separator: "`") }
            let names = line.split(separator: "`").dropFirst().first?.split(separator: ".") ?? []
            guard line.hasPrefix("| `"), cells.count >= 4, names.count == 2 else { return nil }
            return Row(
                section: names[0], key: names[1], format: cells[1].first ?? "",
                defaultValue: cells[2].first ?? "")
        }
    }

    /// Returns the configuration that sets a key to a value, or `nil` if the daemon refuses the value.
    private func configuration(_ value: some StringProtocol, for row: Row) -> Configuration? {
        let text =
            "applications: [{ bundleIdentifier: org.example.Panel }]\n"
            + "\(row.section): { \(row.key): \(value) }\n"
        do throws(ConfigurationError) {
            return try LoadedConfiguration.load(
                option: nil, environment: [:],
                fileReader: MemoryConfigurationFileReader(["/etc/reprise/reprised.yaml": text])
            ).configuration
        } catch {
            return nil
        }
    }

    private func accepts(_ value: some StringProtocol, for row: Row) -> Bool {
        configuration(value, for: row) != nil
    }

    /// Returns the value whose number is larger or smaller by one, in the same unit.
    private func neighbor(of value: Substring, _ step: Int) -> String {
        let digits = value.prefix { $0.isNumber }
        return "\((Int(digits) ?? 0) + step)\(value.dropFirst(digits.count))"
    }

    @Test func `every key is documented once`() throws {
        let documented = try Self.rows().map { ExactString("\($0.section).\($0.key)") }.sorted()
        #expect(documented == ConfigurationKey.all.map { ExactString($0.name) }.sorted())
    }

    @Test func `the documented ranges match the values that the daemon accepts`() throws {
        var count = 0
        for row in try Self.rows() where row.section != "cluster" {
            guard let range = row.range else { continue }
            count += 1
            #expect(accepts(range.minimum, for: row), "\(row.key): \(range.minimum)")
            // The limits on values and on the descriptors of this process can be lower.
            let isLimited = ["stateWarning", "connectionsPerUser"].contains(row.key)
            #expect(
                isLimited || accepts(range.maximum, for: row), "\(row.key): \(range.maximum)")
            #expect(
                !accepts(neighbor(of: range.minimum, -1), for: row), "\(row.key) below its least")
            #expect(!accepts(neighbor(of: range.maximum, 1), for: row), "\(row.key) above")
        }
        #expect(count >= 15)
    }

    @Test func `the documented defaults match the daemon's defaults`() throws {
        let defaults = Configuration(applications: [])
        var count = 0
        for row in try Self.rows() {
            let key = ConfigurationKey.all.first { $0.name == "\(row.section).\(row.key)" }
            // Some defaults are described in words, and a cluster has no default without endpoints.
            guard let key, let read = configuration(row.defaultValue, for: row) else { continue }
            count += 1
            #expect(!key.differs(read, defaults), "\(key.name): \(row.defaultValue)")
        }
        #expect(count >= 20)
    }
}
