import StateRecords

@testable import StateRestoration

/// A saved state in a form that is easy to write in a test, with scenes by name, objects by path and values by key.
struct StateSketch {
    /// A value of an object.
    indirect enum Content: Hashable {
        case number(Int)
        case double(UInt64)
        case text(String)
        case reference(String)
        case list([Content])
        /// Bytes that are not a valid value.
        case broken(UInt8)
    }

    /// An object, which is below another object if its path is.
    struct Object: Hashable {
        var path: String
        var `class` = "Thing"
        var restorationClass: String?
        var storyboard: String?
        var storyboardIdentifier: String?
        var values: [String: Content] = [:]
    }

    struct SceneSketch: Hashable {
        var name: String
        var bundleVersion = "1"
        var systemVersion = "Linux 6.1"
        var isInUse = true
        var values: [String: Content] = [:]
        var objects: [Object] = []
    }

    var scenes: [SceneSketch]

    init(_ scenes: [SceneSketch]) { self.scenes = scenes }

    /// Creates a state of one scene with the given objects.
    init(_ objects: Object...) { scenes = [SceneSketch(name: "main", objects: objects)] }

    /// Returns the state as an archive stores it.
    ///
    /// - Parameters:
    ///   - first: The number of the first record and the first name.
    ///   - step: The difference between consecutive numbers.
    func side(from first: UInt32 = 1, step: UInt32 = 1) -> StateComparison.Side {
        var numbers = Numbers(next: first, step: step)
        let saved = scenes.map { scene in
            (RestorationIdentifier(recorded: scene.name), numbers.saved(scene))
        }
        return StateComparison.Side(saved, names: numbers.texts)
    }

    /// Returns the differences from another state, whose archive has other numbers.
    func differences(
        to other: StateSketch, limit: Int = 10_000, counting: StateComparison.CountedChanges = .all
    ) -> StateDifferences {
        StateComparison.differences(
            from: side(), to: other.side(from: 500, step: 3), limit: limit, counting: counting)
    }

    /// A generator of numbers for the records and names of an archive.
    private struct Numbers {
        var next: UInt32
        var step: UInt32
        var names: [String: UInt32] = [:]
        var objects: [String: UInt32] = [:]

        var texts: [UInt32: String] {
            Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
        }

        mutating func take() -> UInt32 {
            defer { next += step }
            return next
        }

        mutating func name(_ text: String?) -> UInt32 {
            guard let text else { return 0 }
            if let number = names[text] { return number }
            names[text] = take()
            return name(text)
        }

        mutating func saved(_ scene: SceneSketch) -> SavedScene {
            objects = [:]
            let number = take()
            for object in scene.objects { objects[object.path] = take() }
            var reserved: [String: Content] = [
                "@bundleVersion": .text(scene.bundleVersion),
                "@systemVersion": .text(scene.systemVersion),
            ]
            if !scene.isInUse { reserved["@inUse"] = .number(0) }
            let records = scene.objects.sorted { $0.path < $1.path }.map { object in
                ObjectRecord(header: header(object, in: number), values: bytes(object.values))
            }
            let root = ObjectRecord(
                header: ObjectHeader(number: number, parent: 0, kind: 0, identifier: scene.name),
                values: bytes(scene.values.merging(reserved) { $1 }))
            return SavedScene(RecordList([root] + records), timestamp: Int64(next))
        }

        private mutating func header(_ object: Object, in scene: UInt32) -> ObjectHeader {
            let parts = object.path.split(separator: "/").map(String.init)
            let parent = objects[parts.dropLast().joined(separator: "/")] ?? scene
            return ObjectHeader(
                number: objects[object.path] ?? 0, parent: parent,
                kind: RestorationKind.viewController.rawValue, identifier: parts.last ?? "",
                classToken: name(object.class),
                restorationClassToken: name(object.restorationClass),
                storyboard: name(object.storyboard),
                storyboardIdentifier: name(object.storyboardIdentifier))
        }

        private mutating func bytes(_ values: [String: Content]) -> ArraySlice<UInt8> {
            var writer = ValueWriter()
            // Broken values are last because nothing after them can be read.
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                writer.writeVarint(UInt64(name(key)))
                if key == "@inUse" { writer.write(.false) } else { write(value, to: &writer) }
            }
            return writer.bytes[...]
        }

        private func write(_ value: Content, to writer: inout ValueWriter) {
            switch value {
            case .number(let number):
                writer.write(.integer)
                writer.writeZigzag(Int64(number))
            case .double(let pattern):
                writer.write(.double)
                writer.writeUInt64(pattern)
            case .text(let text):
                writer.write(.string)
                writer.writeText(text)
            case .reference(let path):
                writer.writeReference(RecordNumber(objects[path] ?? 7_000_000))
            case .list(let values):
                writer.write(.array)
                writer.writeVarint(UInt64(values.count))
                for value in values { write(value, to: &writer) }
            case .broken(let byte): writer.writeRawBytes([0xFF, byte])
            }
        }
    }
}
