import StateRestoration

/// An encoder for one object and decoders for its output, without a scene.
struct Coders {
    let encoder: StateEncoder
    private let names = NameTable()

    init(limits: ValueLimits = ValueLimits()) {
        encoder = StateEncoder(names: names, passMetadata: .test, limits: limits)
        encoder.begin()
    }

    /// Values written so far.
    var bytes: [UInt8] { Array(encoder.bytes[encoder.valuesRange()]) }

    /// Returns a decoder for the values written so far, or for the given values.
    func decoder(of bytes: [UInt8]? = nil) -> StateDecoder {
        let source = SharedDecoderData(
            names: names, passMetadata: .test, path: { _ in "nav" }, object: { _ in nil })
        return StateDecoder(
            source, number: RecordNumber(1), SavedValues((bytes ?? self.bytes)[...]))
    }

    /// Returns the values written so far, keyed by name.
    func values() throws -> [String: StoredValue] {
        var reader = ValueReader(bytes[...])
        var values: [String: StoredValue] = [:]
        while !reader.isAtEnd {
            let key = names.text(of: UInt32(try reader.readVarint())) ?? "?"
            values[key] = try StoredValue(reading: &reader) { _ in nil }
        }
        return values
    }

    /// Problems with values of the object.
    var problems: [StateEncoder.Problem] { encoder.problems }
}
