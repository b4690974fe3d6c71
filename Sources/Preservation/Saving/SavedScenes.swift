import SavedState
import StateRestoration

extension ArchiveContents {
    /// The scenes that the archive holds, with their names.
    var savedScenes: [(name: RestorationIdentifier, saved: SavedScene)] {
        var scenes: [(name: RestorationIdentifier, saved: SavedScene)] = []
        // Objects follow their scenes.
        var rest = objects[...]
        while let scene = rest.popFirst() {
            let below = rest.prefix { $0.header.parent != 0 }
            rest = rest.dropFirst(below.count)
            let saved = SavedScene(
                scene, objects: Array(below), pass: passes[scene.header.number])
            scenes.append((scene.name, saved))
        }
        return scenes
    }

    /// What a comparison looks at.
    var comparisonSide: StateComparison.Side {
        StateComparison.Side(savedScenes, names: names)
    }
}

extension Generation {
    /// What there is to tell of a generation, with what could be read of it.
    init(_ kept: KeptFile, _ read: Result<KeptContents, KeptStateError>) {
        self.init(
            name: kept.name, path: kept.path, time: kept.time ?? 0, reason: kept.reason,
            byteCount: kept.byteCount)
        switch read {
        case .failure(let error): problem = "\(error)"
        case .success(let read):
            problem = read.problem
            let scenes = read.contents.savedScenes
            let names = NameTable(read.contents.names)
            for version in scenes.map({ $0.saved.reservedState(names: names).stamp.bundleVersion })
            where !bundleVersions.contains(version) {
                bundleVersions.append(version)
            }
            objectCount = read.contents.objects.count - scenes.count
        }
    }
}

extension KeptContents {
    /// A sentence that tells what cannot be used of it; nil: all can.
    var problem: String? {
        shortfall.map { "Of '\(path)' only a part can be used: \($0)." }
    }
}

extension ObjectRecord {
    /// The name of the scene whose record this is.
    var name: RestorationIdentifier { RestorationIdentifier(recorded: header.identifier) }

    /// What the library itself keeps in the scene's record.
    func reservedState(names: NameTable) -> ReservedState {
        SavedScene(self, objects: [], pass: nil).reservedState(names: names)
    }
}
