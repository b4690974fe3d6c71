/// Encodes the objects that a pass visits, and keeps the records that differ from the last ones.
final class PassRecorder {
    private let scene: Scene
    private let records: SceneRecords
    private let encoder: StateEncoder
    private let references: ReferenceCollector
    private let classes: ClassNames
    private var output: PassOutput
    private var entries: [Entry] = []
    /// Where objects were recorded that have another place since this pass began.
    private var earlierPlaces: [ObjectIdentifier: (node: RestorationNode, place: RecordPlace)] = [:]
    private var forgotten: [RestorationNode] = []
    private var referred: [RestorationNode] = []

    /// A record to write: an object's values, and where its header comes from.
    private struct Entry {
        let object: any StateRestoring
        let values: Range<Int>
        let apart: [ApartValue]

        var node: RestorationNode { object.restoration }
    }

    init(scene: Scene, stamp: PassStamp, isFull: Bool) {
        self.scene = scene
        records = scene.records
        references = ReferenceCollector(scene.records)
        encoder = StateEncoder(
            names: scene.records.names, stamp: stamp, limits: scene.limits)
        classes = ClassNames(scene)
        output = PassOutput(scene: scene.records.sceneNumber, stamp: stamp, isFull: isFull)
        encoder.reference = { [references] in references.refer(to: $0) }
    }

    // MARK: Values

    /// An encoder for the application-level values.
    func makeEncoder(_ references: ReferenceCollector) -> StateEncoder {
        let encoder = StateEncoder(
            names: records.names, stamp: output.stamp, limits: scene.limits)
        encoder.reference = { references.refer(to: $0) }
        encoder.begin()
        return encoder
    }

    /// Keeps the application-level values.
    func takeApplicationState(_ encoder: StateEncoder) {
        records.applicationValues = EncodedValues(encoder)
        output.diagnostics += encoder.diagnostics { "application state" }
    }

    /// Has an object encode itself. One that throws keeps its last record (P9).
    ///
    /// - Returns: what its values refer to; nil if it threw.
    func encode(_ object: any StateRestoring) -> [RestorationNode]? {
        let node = object.restoration
        output.encodedCount += 1
        references.begin()
        encoder.begin(storyboardName: node.storyboard?.name)
        do {
            try encoder.encodeState(of: object)
        } catch {
            encoder.cancel()
            let path = records.path(of: node)
            let reason = String(describing: error)
            output.diagnostics.append(.encodeFailed(path: path, reason: reason))
            records.noteEncode(node, failure: reason)
            // What lies below it needs a record to lie below.
            if !node.isSaved { keep(object, values: encoder.end()) }
            return nil
        }
        output.diagnostics += encoder.diagnostics { records.path(of: node).description }
        reportUnregisteredClass(of: node)
        records.noteEncode(node, failure: nil)
        let values = encoder.end()
        let fingerprint = classes.fingerprint(of: object, values: saved(values))
        if node.isSaved, fingerprint == node.fingerprint {
            encoder.cancel()
        } else {
            node.fingerprint = fingerprint
            keep(object, values: values)
        }
        return references.nodes
    }

    private func reportUnregisteredClass(of node: RestorationNode) {
        guard let type = node.restorationClass, !scene.classes.isRegistered(type) else { return }
        let name = scene.classes.token(forRestorationClass: type)
        report(.restorationClassUnregistered(path: records.path(of: node), name: name))
    }

    /// What was encoded last, as an archive keeps it.
    private func saved(_ values: Range<Int>) -> SavedValues {
        SavedValues(encoder.bytes[values], apart: encoder.apart)
    }

    private func keep(_ object: any StateRestoring, values: Range<Int>) {
        entries.append(Entry(object: object, values: values, apart: encoder.apart))
    }

    // MARK: Places

    /// A recorded object is about to have another place.
    func willMove(_ node: RestorationNode) {
        guard node.isRecorded, let identifier = node.recordedIdentifier else { return }
        let key = ObjectIdentifier(node)
        if earlierPlaces[key] == nil {
            let place = RecordPlace(
                parent: node.holder?.number ?? .none, identifier: identifier)
            earlierPlaces[key] = (node, place)
        }
    }

    /// Records that no object has claimed come to stand elsewhere.
    func move(_ headers: [RecordHeader]) {
        output.moves += headers
    }

    /// A record that no object has claimed goes, with everything below it.
    func remove(_ number: RecordNumber) {
        output.removals.append(number)
    }

    /// An object has no record any more.
    func forget(_ node: RestorationNode) {
        records.noteEncode(node, failure: nil)
        if node.encodedIn == records.pass {
            entries.removeAll { $0.node === node }
            // Should it be recorded again, what it encoded is not known to be saved.
            node.fingerprint = 0
        }
        if node.isSaved { willMove(node) }
        forgotten.append(node)
    }

    /// Something refers to an object that has no record.
    func noteUnrecorded(_ node: RestorationNode) {
        referred.append(node)
    }

    // MARK: Output

    /// Something that could not be preserved.
    func report(_ diagnostic: PassDiagnostic) {
        output.diagnostics.append(diagnostic)
    }

    /// Everything that the pass has to write.
    func finish() -> PassOutput {
        output.objects.reserveCapacity(entries.count + 1)
        recordScene()
        var unsaved: [RestorationNode] = []
        for entry in entries {
            let node = entry.object.restoration
            guard node.isRecorded, node.belongs(to: records) else {
                unsaved.append(node)
                continue
            }
            output.objects.append(
                PassRecord(
                    header: header(of: entry.object, node), values: entry.values,
                    apart: entry.apart))
            node.isSaved = true
        }
        recordMoves()
        recordRemovals()
        for node in unsaved { node.isSaved = node.isRecorded }
        output.values = encoder.bytes
        if !output.isEmpty { output.names = records.names.takeNewNames() }
        return output
    }

    /// The scene's own record: the application-level values, and the reserved ones.
    private func recordScene() {
        output.scene = records.sceneNumber
        var reserved = ReservedState()
        reserved.bundleVersion = output.stamp.bundleVersion
        reserved.systemVersion = output.stamp.systemVersion
        reserved.interfaceIdiom = output.stamp.interfaceIdiom
        reserved.isInUse = scene.isInUse
        reserved.unclaimed = records.unclaimed.launches
            .merging(records.heldLaunches) { $1 }
        encoder.begin()
        encoder.append(records.applicationValues)
        reserved.encode(with: encoder)
        let values = encoder.end()
        let header = RecordHeader(scene: scene.name, number: records.sceneNumber)
        let fingerprint = header.fingerprint(saved(values))
        if fingerprint == records.root.fingerprint { return encoder.cancel() }
        records.root.fingerprint = fingerprint
        output.objects.append(PassRecord(header: header, values: values, apart: encoder.apart))
    }

    private func recordMoves() {
        if earlierPlaces.isEmpty { return }
        let written = Set(output.objects.map(\.header.number))
        for (node, place) in earlierPlaces.values
        where node.isRecorded && node.isSaved && node.belongs(to: records) {
            guard !written.contains(node.number), let object = node.object else { continue }
            let header = header(of: object, node)
            if header.parent != place.parent || header.identifier != place.identifier {
                output.moves.append(header)
            }
        }
        output.moves.sort { $0.number.rawValue < $1.number.rawValue }
    }

    /// Removing a record takes along what stands below it in the archive.
    private func recordRemovals() {
        let removed = forgotten.filter { !$0.isRecorded && $0.isSaved && !$0.isUnlinked }
        let numbers = Set(removed.map(\.number))
        for node in removed where node.isSaved {
            node.isSaved = false
            node.fingerprint = 0
            let parent = earlierPlaces[ObjectIdentifier(node)]?.place.parent
            if parent.map(numbers.contains) != true { output.removals.append(node.number) }
        }
        // A number that values hold is never given to another object: removing it says so.
        for node in referred where !node.isRecorded && !node.isNumberKnown {
            node.isNumberKnown = true
            output.removals.append(node.number)
        }
    }

    private func header(of object: any StateRestoring, _ node: RestorationNode) -> RecordHeader {
        let names = classes.names(of: object)
        node.isNumberKnown = true
        return RecordHeader(
            number: node.number, parent: node.holder?.number ?? .none,
            kind: object.restorationKind, identifier: node.recordedIdentifier ?? "?",
            classToken: names.classToken, restorationClassToken: names.restorationClassToken,
            storyboard: names.storyboard, storyboardIdentifier: names.storyboardIdentifier)
    }
}
