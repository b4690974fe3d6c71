/// What an object would save now, for commands that show it. Nothing is recorded by looking.
package struct StateInspection {
    private let scene: Scene

    package init(_ scene: Scene) {
        self.scene = scene
    }

    /// The values that an object encodes, by key.
    ///
    /// - Throws: what the object throws.
    package func values(of object: any StateRestoring, stamp: PassStamp) throws -> [String: Value] {
        let records = scene.records
        let encoder = StateEncoder(names: records.names, stamp: stamp)
        encoder.reference = { other in
            other.restoration.number == .none ? nil : other.restoration.number
        }
        encoder.begin(storyboardName: object.restoration.storyboard?.name)
        try encoder.encodeState(of: object)
        var reader = ValueReader(encoder.bytes[...])
        var values: [String: Value] = [:]
        while !reader.isAtEnd {
            let key = records.names.text(of: UInt32(try reader.readVarint())) ?? ""
            values[key] = try Value(reading: &reader, path: { records.path(of: $0) })
        }
        return values
    }
}
