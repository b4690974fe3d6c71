import RepriseControl
import SavedState
import StateRecords
import StateRestoration

/// Scenes and objects in an archive, with readable paths, names and values.
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

    /// Returns the scenes in the order of their first records, each with its objects sorted by path.
    func scenes() -> [InspectedObject] {
        (children[0] ?? []).map { record in
            var scene = inspectedObject(record)
            scene.name = record.header.identifier
            scene.lastPassTime = contents.passEnds[record.header.number].map {
                rfc3339String($0.timestamp)
            }
            scene.objects = objects(below: record)
            return scene
        }
    }

    private func objects(below scene: ObjectRecord) -> [InspectedObject] {
        var objects: [InspectedObject] = []
        var remainingRecords = sortedChildren(of: scene)
        while let record = remainingRecords.popLast() {
            var object = inspectedObject(record)
            object.path =
                restorationPath(of: record)?.description ?? "#\(record.header.number)"
            objects.append(object)
            remainingRecords += sortedChildren(of: record)
        }
        return objects
    }

    /// Returns the children of an object in descending order of their identifiers.
    private func sortedChildren(of object: ObjectRecord) -> [ObjectRecord] {
        (children[object.header.number] ?? []).sorted {
            $1.header.identifier.utf8.lexicographicallyPrecedes($0.header.identifier.utf8)
        }
    }

    // MARK: Paths

    /// Returns the path of an object, or `nil` if the path would be too long (I2).
    private func restorationPath(of object: ObjectRecord) -> RestorationPath? {
        var components: [RestorationIdentifier] = []
        var byteCount = 0
        var currentRecord = object
        while currentRecord.header.parent != 0, let parent = records[currentRecord.header.parent] {
            components.append(RestorationIdentifier(recorded: currentRecord.header.identifier))
            byteCount += currentRecord.header.identifier.utf8.count + 1
            guard byteCount <= RestorationPath.maximumBytes + 1 else { return nil }
            currentRecord = parent
        }
        return RestorationPath(components.reversed())
    }

    // MARK: Values

    private func inspectedObject(_ record: ObjectRecord) -> InspectedObject {
        let header = record.header
        var object = InspectedObject(
            class: contents.names[header.classToken],
            restorationClass: contents.names[header.restorationClassToken],
            storyboard: contents.names[header.storyboard],
            storyboardIdentifier: contents.names[header.storyboardIdentifier])
        for span in [record.values] + record.outOfLine.map(\.bytes) {
            do throws(ValueError) {
                try read(span, into: &object.values)
            } catch {
                object.problem = "\(error)"
            }
        }
        return object
    }

    private func read(
        _ span: ArraySlice<UInt8>, into values: inout [String: StateJSON]
    ) throws(ValueError) {
        var reader = ValueReader(span)
        while !reader.isAtEnd {
            let number = try reader.readVarint()
            let key = UInt32(exactly: number).flatMap { contents.names[$0] } ?? "#\(number)"
            let value = try StoredValue(reading: &reader) { number in
                records[number.rawValue].flatMap(restorationPath)
            }
            // If a key occurs several times, a decoder uses the first value.
            if values[key] == nil { values[key] = StateJSON(value) }
        }
    }
}

/// Object or scene in an archive, in the output of `inspect`.
struct InspectedObject {
    /// Path of the object, or `nil` for a scene.
    var path: String?
    /// Name of the scene, or `nil` for an object.
    var name: String?
    /// Time of the last pass that saved the scene (RFC 3339, UTC).
    var lastPassTime: String?
    /// Objects in the scene, parents first.
    var objects: [InspectedObject]?
    // Recorded data other than the position of the object (P13).
    var `class`: String?
    var restorationClass: String?
    var storyboard: String?
    var storyboardIdentifier: String?
    var values: [String: StateJSON] = [:]
    /// Reason why further values cannot be read, or `nil` if all values were read.
    var problem: String?
}
