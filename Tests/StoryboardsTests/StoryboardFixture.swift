import FoundationEssentials
import Testing

/// A folder `Fixtures/NN-name` with a storyboard, `in.yaml`, and what comes of it, `expected`.
struct StoryboardFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let input: [UInt8]
    let expected: String

    var testDescription: String { name }

    static let folder = String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/")!)) + "/Fixtures"

    /// All fixtures in the order of their names.
    static func all() throws -> [StoryboardFixture] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            StoryboardFixture(
                name: name, input: Array(try read("\(name)/in.yaml")),
                expected: String(decoding: try read("\(name)/expected"), as: UTF8.self))
        }
    }

    private static func read(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
    }
}
