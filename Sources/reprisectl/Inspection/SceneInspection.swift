import FoundationEssentials
import RepriseControl
import SavedState
import StateRestoration

/// Makes of the records of an archive what a person reads: paths, names and values.
struct SceneInspection {
    private let contents: ArchiveContents
    private let records: [UInt32: ObjectRecord]
    private var children: [UInt32: [ObjectRecord]] = [:]

    init(_ contents: ArchiveContents) {
        self.contents = contents
        records = Dictionary(
            contents.objects.map { ($0.header.number, $0) }, uniquingKeysWith: { first, _ in first }
        )
        for object in contents.objects {
            children[object.header.parent, default: []].append(object)
        }
    }

    /// The scenes in the order in which they first came, their objects in the order of their paths.
    func scenes() -> [InspectedScene] {
        (children[0] ?? []).map { scene in
            let time = contents.passes[scene.header.number]?.timestamp
            return InspectedScene(
                name: scene.header.identifier, lastPass: time.map(Self.told),
                state: state(of: scene), objects: objects(below: scene))
        }
    }

    private static func told(_ microseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
            .formatted(Date.ISO8601FormatStyle())
    }

    private func objects(below scene: ObjectRecord) -> [InspectedObject] {
        var objects: [InspectedObject] = []
        var waiting = sortedChildren(of: scene)
        while let object = waiting.popLast() {
            objects.append(
                InspectedObject(path: path(of: object), state: state(of: object)))
            waiting += sortedChildren(of: object)
        }
        return objects
    }

    /// What stands below an object, the last one first.
    private func sortedChildren(of object: ObjectRecord) -> [ObjectRecord] {
        (children[object.header.number] ?? []).sorted {
            $1.header.identifier.utf8.lexicographicallyPrecedes($0.header.identifier.utf8)
        }
    }

    // MARK: Paths

    /// The path of an object; of one that is too long for a path (I2) only its number.
    private func path(of object: ObjectRecord) -> String {
        restorationPath(of: object)?.description ?? "#\(object.header.number)"
    }

    private func restorationPath(of object: ObjectRecord) -> RestorationPath? {
        var components: [RestorationIdentifier] = []
        var byteCount = 0
        var next = object
        while next.header.parent != 0, let parent = records[next.header.parent] {
            components.append(RestorationIdentifier(recorded: next.header.identifier))
            byteCount += next.header.identifier.utf8.count + 1
            guard byteCount <= RestorationPath.maximumBytes + 1 else { return nil }
            next = parent
        }
        return RestorationPath(components.reversed())
    }

    // MARK: Values

    private func state(of object: ObjectRecord) -> InspectedState {
        let header = object.header
        var state = InspectedState(
            class: contents.names[header.classToken],
            restorationClass: contents.names[header.restorationClassToken],
            storyboard: contents.names[header.storyboard],
            storyboardIdentifier: contents.names[header.storyboardIdentifier])
        for span in [object.values] + object.outOfLine.map(\.bytes) {
            do throws(ValueError) {
                try read(span, into: &state.values)
            } catch {
                state.problem = "\(error)"
            }
        }
        return state
    }

    private func read(
        _ span: ArraySlice<UInt8>, into values: inout [String: StateJSON]
    ) throws(ValueError) {
        var reader = ValueReader(span)
        while !reader.isAtEnd {
            let number = try reader.readVarint()
            let key = UInt32(exactly: number).flatMap { contents.names[$0] } ?? "#\(number)"
            let value = try Value(reading: &reader) { number in
                records[number.rawValue].flatMap(restorationPath)
            }
            // A coder finds the first value of a key.
            if values[key] == nil { values[key] = StateJSON(value) }
        }
    }
}

/// A scene that an archive holds, as `inspect` tells it.
struct InspectedScene: Encodable {
    var name: String
    /// When it was saved last (RFC 3339, UTC).
    var lastPass: String?
    /// What the scene itself saves.
    var state: InspectedState
    /// Its objects, parents first.
    var objects: [InspectedObject]

    private enum Keys: CodingKey { case name, lastPass, objects }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(lastPass, forKey: .lastPass)
        try container.encode(objects, forKey: .objects)
    }
}

/// An object that an archive holds.
struct InspectedObject: Encodable {
    var path: String
    var state: InspectedState

    private enum Keys: CodingKey { case path }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(path, forKey: .path)
    }
}

/// What is recorded of an object beside its place (P13).
struct InspectedState: Encodable {
    var `class`: String?
    var restorationClass: String?
    var storyboard: String?
    var storyboardIdentifier: String?
    var values: [String: StateJSON] = [:]
    /// Reason that further values cannot be read; nil if all were read.
    var problem: String?
}
