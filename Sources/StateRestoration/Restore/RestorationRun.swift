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
        let coder = StateDecoder(decoderSource(), number: saved.number, values: saved.values)
        guard scene.delegate.application(scene, shouldRestoreApplicationState: coder) else {
            refuse()
            return report
        }
        find()
        decode()
        scene.delegate.application(
            scene,
            didDecodeRestorableStateWith: StateDecoder(
                decoderSource(), number: saved.number, values: saved.values))
        for entry in found { entry.object.applicationFinishedRestoringState() }
        return report
    }

    private func claimScene() {
        scene.records.sceneNumber = saved.number
        let header = RecordHeader(
            number: saved.number, parent: .none, kind: .scene, identifier: scene.name,
            classToken: 0)
        scene.records.sceneFingerprint = header.fingerprint(values: saved.values)
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
                object.restoration.isUnlinked =
                    isMade || objects[parent]?.restoration.isUnlinked == true
                claim(object, record)
            case .dropped(let code, let detail):
                lost.append(record)
                report.unrestored.append(
                    UnrestoredObject(path: path(of: record), code: code, detail: detail))
            }
        }
        keepUnclaimed(lost)
    }

    private func claim(_ object: any StateRestoring, _ record: SavedRecord) {
        let header = record.header
        let node = object.restoration
        node.records = scene.records
        node.number = header.number
        node.parentNumber = header.parent
        node.recordedIdentifier = header.identifier
        node.fingerprint = header.fingerprint(values: record.values)
        node.object = object
        scene.records.recorded.append(node)
        objects[header.number] = object
        found.append(Found(object: object, record: record))
        object.loadRestorationChildren()
    }

    /// What could not be placed stays in the archive, until its path is saved anew (R16).
    private func keepUnclaimed(_ records: [SavedRecord]) {
        for record in records {
            let place = RecordPlace(
                parent: record.header.parent, identifier: record.header.identifier)
            scene.records.unclaimed[place] = record.header.number
        }
    }

    // MARK: Decode

    private func decode() {
        let source = decoderSource()
        for entry in found {
            let header = entry.record.header
            let coder = StateDecoder(
                source, number: header.number, storyboard: header.storyboard,
                values: entry.record.values)
            do {
                try coder.decodeState(of: entry.object)
                report.restored += 1
            } catch {
                report.unrestored.append(
                    UnrestoredObject(
                        path: path(of: entry.record), code: .decodeFailed,
                        detail: String(describing: error)))
            }
        }
    }

    private func decoderSource() -> StateDecoderSource {
        StateDecoderSource(
            names: scene.records.names, stamp: stamp,
            path: { [self] in path(of: $0) }, object: { [objects] in objects[$0] })
    }

    private static func savedStamp(_ saved: SavedScene, names: NameTable) -> PassStamp {
        let stamp = PassStamp(bundleVersion: "", timestamp: saved.timestamp, systemVersion: "")
        let source = StateDecoderSource(
            names: names, stamp: stamp, path: { _ in "application state" }, object: { _ in nil })
        let coder = StateDecoder(source, number: saved.number, values: saved.values)
        return PassStamp(
            bundleVersion: text(ReservedKey.bundleVersion, coder),
            timestamp: saved.timestamp,
            systemVersion: text(ReservedKey.systemVersion, coder),
            interfaceIdiom: text(ReservedKey.interfaceIdiom, coder))
    }

    /// A reserved value. One that cannot be read is answered as empty, so that the state around it
    /// is still restored.
    private static func text(_ key: StaticString, _ coder: StateDecoder) -> String {
        do {
            return try coder.decode(String.self, forKey: key) ?? ""
        } catch {
            return ""
        }
    }

    private func path(of record: SavedRecord) -> String {
        path(of: record.header.number)
    }

    private func path(of number: RecordNumber) -> String {
        if number == saved.number { return "application state" }
        if paths.isEmpty {
            for record in saved.records {
                let header = record.header
                let above = paths[header.parent].map { $0 + "/" } ?? ""
                paths[header.number] = above + header.identifier.text
            }
        }
        return paths[number] ?? "?"
    }

    /// Filled when first asked for: only sentences need paths.
    private var paths: [RecordNumber: String] = [:]
}
