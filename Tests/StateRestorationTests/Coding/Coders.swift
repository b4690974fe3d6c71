import StateRestoration

/// An encoder of one object and decoders of what it wrote, without a scene around them.
struct Coders {
    let encoder: StateEncoder
    private let names = NameTable()

    init(limits: ValueLimits = ValueLimits()) {
        encoder = StateEncoder(names: names, stamp: .test, limits: limits)
        encoder.begin()
    }

    /// The values written so far.
    var bytes: [UInt8] { Array(encoder.bytes[encoder.end()]) }

    /// A decoder of the values written so far, or of others.
    func decoder(of bytes: [UInt8]? = nil) -> StateDecoder {
        let source = StateDecoderSource(
            names: names, stamp: .test, path: { _ in "nav" }, object: { _ in nil })
        return StateDecoder(
            source, number: RecordNumber(1), SavedValues((bytes ?? self.bytes)[...]))
    }

    /// The values written so far by key.
    func values() throws -> [String: StoredValue] {
        var reader = ValueReader(bytes[...])
        var values: [String: StoredValue] = [:]
        while !reader.isAtEnd {
            let key = names.text(of: UInt32(try reader.readVarint())) ?? "?"
            values[key] = try StoredValue(reading: &reader) { _ in nil }
        }
        return values
    }

    /// The causes of what was left out, by key.
    var problems: [StateEncoder.Problem] { encoder.problems }
}
