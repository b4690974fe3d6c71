/// The values that an object would save now, for commands that show them. Looking records nothing.
package struct StateInspection {
    private let scene: Scene

    package init(_ scene: Scene) {
        self.scene = scene
    }

    /// The values that an object encodes, by key.
    ///
    /// - Throws: what the object throws.
    package func values(of object: any StateRestoring, stamp: PassStamp) throws -> [String: Value] {
        let encoder = try encode(object, stamp)
        let records = scene.records
        var reader = ValueReader(encoder.bytes[...])
        var values: [String: Value] = [:]
        while !reader.isAtEnd {
            let key = records.names.text(of: UInt32(try reader.readVarint())) ?? ""
            values[key] = try Value(reading: &reader, path: { records.path(of: $0) })
        }
        return values
    }

    /// How much an object encodes, and what of it cannot be saved or is large (P9).
    ///
    /// - Throws: what the object throws.
    package func size(of object: any StateRestoring, stamp: PassStamp) throws -> StateSize {
        let encoder = try encode(object, stamp)
        return StateSize(
            values: encoder.keyCount, bytes: encoder.bytes.count,
            diagnostics: encoder.diagnostics {
                scene.records.path(of: object.restoration).description
            })
    }

    private func encode(
        _ object: any StateRestoring, _ stamp: PassStamp
    ) throws -> StateEncoder {
        let records = scene.records
        let encoder = StateEncoder(names: records.names, stamp: stamp, limits: scene.limits)
        encoder.reference = { other in
            other.restoration.record.number == .none ? nil : other.restoration.record.number
        }
        encoder.begin(storyboardName: object.restoration.storyboard?.name)
        try encoder.encodeState(of: object)
        return encoder
    }
}

/// How much an object's state takes.
package struct StateSize {
    /// How many values it has.
    package var values: Int
    /// How many bytes they take, with their keys.
    package var bytes: Int
    /// The values that are left out of it, and those that are large.
    package var diagnostics: [PassDiagnostic]
}
