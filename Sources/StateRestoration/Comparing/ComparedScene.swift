import ExactText
import StateRecords

/// The saved state of one scene, indexed for comparison with another state.
struct ComparedScene {
    /// A child of an object or of the scene.
    struct Child {
        var identifier: String
        var recordIndex: Int
    }

    private let savedScene: SavedScene
    private let names: [UInt32: String]
    private let tree: RecordTree
    private let recordIndices: [RecordNumber: Int]
    private let childrenByParentIndex: [Int: [Child]]

    init(_ savedScene: SavedScene, names: [UInt32: String]) {
        self.savedScene = savedScene
        self.names = names
        let tree = RecordTree(savedScene)
        self.tree = tree
        var recordIndices: [RecordNumber: Int] = [:]
        var children: [Int: [Child]] = [:]
        for index in 0..<tree.count {
            let parent = tree.parentIndices[index]
            if parent == RecordTree.missingParent { continue }
            recordIndices[tree.recordNumbers[index]] = index
            children[parent, default: []].append(
                Child(identifier: tree.header(of: index).identifier, recordIndex: index))
        }
        self.recordIndices = recordIndices
        childrenByParentIndex = children.mapValues { siblings in
            siblings.sorted { $0.identifier < $1.identifier }
        }
    }

    /// Returns the children of an object or of the scene, sorted by the bytes of their identifiers.
    func children(of index: Int) -> ArraySlice<Child> {
        (childrenByParentIndex[index] ?? [])[...]
    }

    /// Returns the object at an index, or the scene itself if the index is ``RecordTree/noParent``.
    func object(at index: Int) -> ComparedObject {
        var object = ComparedObject()
        if index == RecordTree.noParent {
            let reservedState = savedScene.reservedState(names: NameTable(names))
            object.traits[.bundleVersion] = reservedState.passMetadata.bundleVersion
            object.traits[.inUse] = "\(reservedState.isInUse)"
            readValues(savedScene.values, into: &object)
            return object
        }
        let header = tree.header(of: index)
        object.traits[.class] = names[header.classToken]
        object.traits[.restorationClass] = names[header.restorationClassToken]
        object.traits[.storyboard] = names[header.storyboard]
        object.traits[.storyboardIdentifier] = names[header.storyboardIdentifier]
        readValues(tree.values(of: index), into: &object)
        return object
    }

    private func readValues(_ savedValues: SavedValues, into object: inout ComparedObject) {
        for span in savedValues.spans {
            var reader = ValueReader(span)
            var valueStart = span.startIndex
            do throws(ValueError) {
                while !reader.isAtEnd {
                    valueStart = reader.position
                    let number = try reader.readVarint()
                    valueStart = reader.position
                    try readValue(of: number, &reader, into: &object.values)
                }
            } catch {
                // The key is omitted because its number differs between archives.
                object.unreadableBytes += span[valueStart...]
            }
        }
        if case .array(let keys) = object.values[
            ExactString(StateEncoder.excludedFromHistoryKey.description)]?.value
        {
            for case .string(let key) in keys {
                object.keysExcludedFromHistory.insert(ExactString(key))
            }
        }
        // Omits the library's own values.
        object.values = object.values.filter { $0.key.text.utf8.first != UInt8(ascii: "@") }
    }

    private func readValue(
        of number: UInt64, _ reader: inout ValueReader,
        into values: inout [ExactString: ComparedValue]
    ) throws(ValueError) {
        let key = ExactString(UInt32(exactly: number).flatMap { names[$0] } ?? "#\(number)")
        let valueStart = reader.position
        let value = try StoredValue(reading: &reader) { number in
            recordIndices[number].map { tree.path(of: $0) }
        }
        // If a key is repeated, a decoder uses its first value.
        if values[key] != nil { return }
        values[key] = ComparedValue(value: value, byteCount: reader.position - valueStart)
    }
}

/// The parts of an object or a scene that a comparison covers.
struct ComparedObject {
    /// Parts of the record other than its values.
    var traits: [StateDifference.Trait: String] = [:]
    /// Values, keyed by the names of their keys. The library's own values are omitted.
    var values: [ExactString: ComparedValue] = [:]
    /// Keys of the values that the history ignores.
    var keysExcludedFromHistory: Set<ExactString> = []
    /// Bytes from the first unreadable value to the end of its span.
    var unreadableBytes: [UInt8] = []
}

/// A value and its encoded size in bytes.
struct ComparedValue {
    var value: StoredValue
    var byteCount: Int

    private var isLarge: Bool { byteCount > StateComparison.maximumListedValueBytes }

    /// Content of the value, as shown in a difference.
    var content: StateDifference.Content {
        isLarge ? .large(byteCount: byteCount) : .value(value)
    }

    /// Number of bytes that the value contributes to a list of differences.
    var listedByteCount: Int { isLarge ? 0 : byteCount }
}
