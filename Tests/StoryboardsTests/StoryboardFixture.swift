import FoundationEssentials
import Testing

/// A directory `Fixtures/NN-name` that contains the storyboard `in.yaml`, other storyboards to which it may refer, and
/// the expected result in `expected`.
struct StoryboardFixture: Sendable, CustomTestStringConvertible {
    let name: String
    /// Files of the storyboards with their contents, beginning with `in.yaml`.
    let input: [(file: String, bytes: [UInt8])]
    let expected: String

    var testDescription: String { name }

    static let directory =
        String(#filePath.prefix(upTo: #filePath.lastIndex(of: "/")!)) + "/Fixtures"

    /// Returns all fixtures, ordered by name.
    static func all() throws -> [StoryboardFixture] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
            StoryboardFixture(
                name: name, input: try files(in: name),
                expected: String(decoding: try read("\(name)/expected"), as: UTF8.self))
        }
    }

    private static func files(in name: String) throws -> [(file: String, bytes: [UInt8])] {
        let others = try FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(name)")
            .filter { $0.hasSuffix(".yaml") && $0 != "in.yaml" }
        return try (["in.yaml"] + others.sorted()).map { file in
            (file, Array(try read("\(name)/\(file)")))
        }
    }

    private static func read(_ path: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(directory)/\(path)"))
    }
}
