import FoundationEssentials
package import StateRestoration

extension StateJSON {
    /// A value as a reply tells it.
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .string("\(value)")
        case .double(let value): self = value.isFinite ? .double(value) : .string("\(value)")
        case .string(let value): self = .string(value)
        case .data(let bytes): self = .string(Data(bytes).base64EncodedString())
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            self = .string(date.formatted(Date.ISO8601FormatStyle()))
        case .url(let text): self = .string(text)
        case .uuid(let bytes):
            let digits = bytes.map { (byte: UInt8) in
                (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
            let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
            self = .string(groups.map { digits[$0].joined() }.joined(separator: "-"))
        case .indexPath(let indexes): self = .array(indexes.map { .integer(Int64($0)) })
        case .range(let range):
            self = .object([
                "lowerBound": .integer(Int64(range.lowerBound)),
                "upperBound": .integer(Int64(range.upperBound)),
            ])
        case .closedRange(let range):
            self = .object([
                "first": .integer(Int64(range.lowerBound)),
                "last": .integer(Int64(range.upperBound)),
            ])
        case .array(let values): self = .array(values.map(StateJSON.init))
        case .dictionary(let values): self = .object(values.mapValues(StateJSON.init))
        case .codable(let text):
            let decoder = JSONDecoder()
            // What is no JSON is shown as the text that it is.
            self = (try? decoder.decode(StateJSON.self, from: Data(text.utf8))) ?? .string(text)
        case .reference(let path):
            self = .object(["reference": path.map { .string($0.description) } ?? .null])
        }
    }
}
