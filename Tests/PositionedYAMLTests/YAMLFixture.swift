import FoundationEssentials
import Testing

/// A directory `Fixtures/NN-name` that contains the file `in`, and the expected result in `expected`.
struct YAMLFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let testDescription: String
    let input: [UInt8]
    let expected: String

    static let directory =
        String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/")!)) + "/Fixtures"

    /// Returns all fixtures, ordered by name.
    static func all() throws -> [YAMLFixture] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
            YAMLFixture(
                name: name, testDescription: name,
                input: Array(try read("\(name)/in")),
                expected: String(decoding: try read("\(name)/expected"), as: UTF8.self))
        }
    }

    private static func read(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(directory)/\(path)"))
    }
}
