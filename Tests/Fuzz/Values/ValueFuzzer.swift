import FoundationEssentials

@testable import StateRestoration

/// Fuzzer that reads bytes as saved values in every supported way.
enum ValueFuzzer {
    private struct Draft: Codable {
        var title: String
        var ratings: [Double]
        var parts: [Draft]?
        var link: URL?
    }

    private static let keys: [StaticString] = ["a", "b", "c"]
    private static let passMetadata = PassMetadata(
        bundleVersion: "", timestamp: 0, systemVersion: "")

    /// Single values, all values as one object's values, and JSON.
    static var seeds: [[UInt8]] {
        let object = ValueSamples.stored.enumerated().flatMap { [UInt8($0 % 3 + 1)] + $1 }
        let draft = #"{"title":"a","ratings":[1,"nan"],"parts":[{"title":"","ratings":[]}]}"#
        return ValueSamples.stored + ValueSamples.stored.map { [1] + $0 } + [object]
            + [Array(draft.utf8)]
    }

    /// Checks that the functions that skip a value, read it and read its type name agree on its end.
    static func readAsValue(_ input: [UInt8]) {
        var skipper = ValueReader(input[...])
        var namer = skipper
        var reader = skipper
        let skips = (try? skipper.skipValue()) != nil
        let names = (try? namer.readTypeName()) != nil
        let reads = (try? StoredValue(reading: &reader) { _ in nil }) != nil
        precondition(skips == names && (!skips || skipper.position == namer.position))
        precondition(!reads || (skips && skipper.position == reader.position))
    }

    /// Decodes keys in any order, and repeatedly.
    static func decodeAsObject(_ input: [UInt8]) {
        let source = SharedDecoderData(
            names: NameTable([1: "a", 2: "b", 3: "c"]), passMetadata: passMetadata,
            path: { _ in "object" },
            object: { _ in nil })
        let half = input.count / 2
        for decoder in [
            StateDecoder(source, number: RecordNumber(1), SavedValues(input[...])),
            StateDecoder(
                source, number: RecordNumber(1),
                SavedValues(input[..<half], outOfLine: [input[half...], input[...]])),
        ] {
            decodeKeys(with: decoder)
        }
    }

    private static func decodeKeys(with decoder: StateDecoder) {
        for key in keys + keys.reversed() {
            _ = try? decoder.decode(Int.self, forKey: key)
            _ = try? decoder.decode([String: [Double]].self, forKey: key)
            _ = try? decoder.decode(Draft.self, forKey: key)
            _ = try? decoder.decodeObjects(AnyObject.self, forKey: key)
            _ = try? decoder.decodeNamedObjects(AnyObject.self, forKey: key)
            _ = try? decoder.decode([Int].self, forKey: key)
        }
    }

    static func decodeAsJSON(_ input: [UInt8]) {
        guard let draft = try? CodableJSON.decode(Draft.self, from: Data(input)) else { return }
        precondition((try? CodableJSON.encode(draft)) != nil)
    }
}
