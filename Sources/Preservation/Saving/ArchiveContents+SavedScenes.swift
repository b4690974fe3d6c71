import ExactText
import FoundationEssentials
import SavedState
import StateRecords
import StateRestoration

extension ArchiveContents {
    /// Names and saved states of the scenes in the archive.
    var savedScenes: [(name: RestorationIdentifier, saved: SavedScene)] {
        var scenes: [(name: RestorationIdentifier, saved: SavedScene)] = []
        // The objects of a scene follow the scene's record.
        var remainingRecords = objects[...]
        while let scene = remainingRecords.first {
            let descendants = remainingRecords.dropFirst().prefix { $0.header.parent != 0 }
            let records = RecordList(remainingRecords.prefix(1 + descendants.count))
            remainingRecords = remainingRecords.dropFirst(1 + descendants.count)
            let timestamp = passEnds[scene.header.number]?.timestamp ?? 0
            scenes.append((scene.sceneName, SavedScene(records, timestamp: timestamp)))
        }
        return scenes
    }

    /// Returns the class token that was saved with an object, or `nil` if the archive does not contain the object.
    func classToken(at path: String, in scene: RestorationIdentifier) -> String? {
        savedScenes.first { $0.name == scene }?.saved
            .object(at: path, names: NameTable(names))?.classToken
    }

    /// The contents as one side of a comparison.
    var comparisonSide: StateComparison.Side {
        StateComparison.Side(savedScenes, names: names)
    }
}

extension SavedScene {
    /// Headers of the saved objects that have no parent object.
    var rootHeaders: [ObjectHeader] {
        let headers = records.objects.map(\.header)
        return headers.dropFirst().filter { $0.parent == headers.first?.number }
    }
}

extension SavedGeneration {
    /// Creates a description of a generation from its file and the result of reading the file.
    init(_ file: StoredFile, _ result: Result<StoredContents, StoredStateError>) {
        self.init(
            name: file.name, path: file.path, time: Date(microseconds: file.time ?? 0),
            reason: file.reason,
            byteCount: file.byteCount)
        switch result {
        case .failure(let error): problem = "\(error)"
        case .success(let storedContents):
            problem = storedContents.problem
            let scenes = storedContents.contents.savedScenes
            let names = NameTable(storedContents.contents.names)
            for version in scenes.map({
                $0.saved.reservedState(names: names).passMetadata.bundleVersion
            })
            where !bundleVersions.contains(version) {
                bundleVersions.append(version)
            }
            objectCount = storedContents.contents.objects.count - scenes.count
        }
    }
}

extension StoredContents {
    /// Sentence that describes the unusable part of the file, or `nil` if the whole file is usable.
    var problem: String? {
        shortfall.map { "Only a part of '\(path)' can be used: \($0)." }
    }
}

extension ObjectRecord {
    /// Name of the scene that the record represents.
    var sceneName: RestorationIdentifier { RestorationIdentifier(recorded: header.identifier) }

    /// Returns the state that the library itself stores in a scene's record.
    func reservedState(names: NameTable) -> ReservedState {
        SavedScene(RecordList([self]), timestamp: 0).reservedState(names: names)
    }
}

extension ApplicationArchive {
    /// Returns the saved state of a scene, or `nil` if the archive does not contain a scene with this number.
    func savedScene(_ number: UInt32) -> SavedScene? {
        let records = records(below: number)
        if records.isEmpty { return nil }
        return SavedScene(records, timestamp: passEnd(ofScene: number)?.timestamp ?? 0)
    }

    /// Returns the saved values of an object or scene, or `nil` if the archive does not contain its record.
    func savedValues(of number: RecordNumber) -> SavedValues? {
        object(number.rawValue).map {
            SavedValues($0.values, outOfLine: $0.outOfLine.map(\.bytes))
        }
    }
}
