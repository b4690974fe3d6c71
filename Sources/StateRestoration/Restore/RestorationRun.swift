/// Restores a scene from what was saved of it, in the order of R1: every recorded object is found,
/// parents first; then they decode, parents first; then the delegate; then all are told.
final class RestorationRun {
    private struct Found {
        let object: any StateRestoring
        let record: SavedRecord
    }

    private let scene: Scene
    private let saved: SavedScene
    private let finder: ObjectFinder
    private let stamp: PassStamp
    private var report: RestorationReport
    private var found: [Found] = []
    private var objects: [RecordNumber: any StateRestoring] = [:]

    init(scene: Scene, saved: SavedScene, storyboards: (any StoryboardFinding)?) {
        self.scene = scene
        self.saved = saved
        finder = ObjectFinder(scene: scene, storyboards: storyboards)
        report = RestorationReport(reason: scene.launchReason)
        stamp = Self.savedStamp(saved, names: scene.records.names)
    }

    func run() -> RestorationReport {
        report.recorded = saved.records.count
        claimScene()
        let coder = decoder("application state", saved.values, storyboard: 0)
        guard scene.delegate.application(scene, shouldRestoreApplicationState: coder) else {
            refuse()
            return report
        }
        find()
        scene.onStage?(.launchFound)
        decode()
        scene.onStage?(.launchDecoded)
        scene.delegate.application(
            scene,
            didDecodeRestorableStateWith: decoder("application state", saved.values, storyboard: 0))
        for entry in found { entry.object.applicationFinishedRestoringState() }
        return report
    }

    private func claimScene() {
        scene.records.sceneNumber = saved.number
        let header = RecordHeader(
            number: saved.number, parent: .none, kind: .scene, identifier: scene.name,
            classToken: 0)
        scene.records.root.fingerprint = header.fingerprint(values: saved.values)
    }

    private func refuse() {
        report.isRefused = true
        keepUnclaimed(saved.records)
        report.unrestored = saved.records.map { record in
            UnrestoredObject(
                path: path(of: record), code: .refusedByDelegate,
                detail: "the application's delegate refused to restore")
        }
    }

    // MARK: Find

    private func find() {
        var lost: [SavedRecord] = []
        for record in saved.records {
            let parent = record.header.parent
            let outcome: ObjectFinder.Outcome
            if parent == saved.number {
                outcome = finder.findRoot(record, names: scene.records.names)
            } else if let object = objects[parent] {
                outcome = finder.find(record, below: object, names: scene.records.names)
            } else {
                outcome = .dropped(.parentDropped, "the object above it was not restored")
            }
            switch outcome {
            case .found(let object, let isMade):
                claim(object, record, isMade: isMade)
            case .dropped(let code, let detail):
                lost.append(record)
                report.unrestored.append(
                    UnrestoredObject(path: path(of: record), code: code, detail: detail))
            }
        }
        keepUnclaimed(lost)
    }

    private func claim(_ object: any StateRestoring, _ record: SavedRecord, isMade: Bool) {
        let header = record.header
        let parent = objects[header.parent]?.restoration
        scene.records.claim(
            object, record, below: parent, isUnlinked: isMade || parent?.isUnlinked == true)
        objects[header.number] = object
        found.append(Found(object: object, record: record))
        object.loadRestorationChildren()
    }

    /// What could not be placed stays in the archive, until its path is saved anew (R16).
    private func keepUnclaimed(_ records: [SavedRecord]) {
        for record in records {
            scene.records.keepUnclaimed(record.header, launches: 1)
        }
    }

    // MARK: Decode

    private func decode() {
        for entry in found {
            let header = entry.record.header
            let coder = decoder(
                self.path(of: entry.record), entry.record.values, storyboard: header.storyboard)
            do {
                try entry.object.decodeRestorableState(with: coder)
                report.restored += 1
            } catch {
                report.unrestored.append(
                    UnrestoredObject(
                        path: path(of: entry.record), code: .decodeFailed,
                        detail: String(describing: error)))
            }
        }
    }

    private func decoder(
        _ object: @autoclosure @escaping () -> String, _ values: ArraySlice<UInt8>,
        storyboard: UInt32
    ) -> StateDecoder {
        StateDecoder(
            object: object, values: values, names: scene.records.names, stamp: stamp,
            storyboardName: scene.records.names.text(of: storyboard),
            resolve: { [objects] number in objects[number] })
    }

    private static func savedStamp(_ saved: SavedScene, names: NameTable) -> PassStamp {
        let reserved = saved.reservedState(names: names)
        return PassStamp(
            bundleVersion: reserved.bundleVersion, timestamp: saved.timestamp,
            systemVersion: reserved.systemVersion, interfaceIdiom: reserved.interfaceIdiom)
    }

    private func path(of record: SavedRecord) -> String {
        if paths.isEmpty {
            for record in saved.records {
                let header = record.header
                let above = paths[header.parent].map { $0 + "/" } ?? ""
                paths[header.number] = above + header.identifier.text
            }
        }
        return paths[record.header.number] ?? record.header.identifier.text
    }

    /// Filled when first asked for: only sentences need paths.
    private var paths: [RecordNumber: String] = [:]
}
