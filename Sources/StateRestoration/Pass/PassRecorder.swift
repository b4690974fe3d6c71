/// Encodes the objects that a pass visits, and keeps the records that differ from the last ones.
final class PassRecorder {
    /// What the pass has to write so far.
    private(set) var output: PassOutput
    private let scene: Scene
    private let encoder: StateEncoder
    private var indexes: [RecordNumber: Int] = [:]
    /// What tells the last records of objects whose place is not final yet.
    private var unsettled: [RecordNumber: Int] = [:]

    private var records: SceneRecords { scene.records }

    init(scene: Scene, stamp: PassStamp, isFull: Bool) {
        self.scene = scene
        encoder = StateEncoder(names: scene.records.names, stamp: stamp)
        output = PassOutput(scene: scene.records.sceneNumber, stamp: stamp, isFull: isFull)
    }

    /// Gives the number under which a referenced object is recorded; nil: it is not (P8).
    var reference: ((any StateRestoring) -> RecordNumber?)? {
        get { encoder.reference }
        set { encoder.reference = newValue }
    }

    /// Keeps the scene's own record: the application-level state, and the reserved values.
    func recordScene(_ applicationState: StateEncoder) {
        output.diagnostics += applicationState.diagnostics { "application state" }
        encoder.begin()
        encoder.append(applicationState)
        let header = RecordHeader(
            number: records.sceneNumber, parent: .none, kind: .scene, identifier: scene.name,
            classToken: 0)
        records.sceneFingerprint = keep(header, knownAs: records.sceneFingerprint)
    }

    /// Encodes an object as a record at a place. An object that throws keeps its last record (P9).
    ///
    /// - Parameter isPlaced: whether the place is final. A record whose place is not is kept even
    ///   if it is the one known already, until ``settle(_:)``.
    func record(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        below parent: RecordNumber, isPlaced: Bool = true
    ) {
        let node = object.restoration
        let isMoved = node.parentNumber != parent || node.recordedIdentifier != identifier
        claimNumber(for: node, at: RecordPlace(parent: parent, identifier: identifier))
        node.object = object
        node.parentNumber = parent
        node.recordedIdentifier = identifier
        output.encodedCount += 1
        let header = header(of: object)
        encoder.begin(storyboardName: node.storyboard?.name)
        do {
            try encoder.encodeState(of: object)
            output.diagnostics += encoder.diagnostics { self.path(of: node).description }
        } catch {
            encoder.cancel()
            output.diagnostics.append(
                .encodeFailed(path: path(of: node), reason: String(describing: error)))
            // At another place the old record would go with what was above it, and take along what
            // is below it: there the object is recorded without values.
            if node.fingerprint != 0 && !isMoved { return }
        }
        if !isPlaced { unsettled[node.number] = node.fingerprint }
        node.fingerprint = keep(header, knownAs: isPlaced ? node.fingerprint : 0)
    }

    /// An object that was recorded without a final place has another one.
    func move(
        _ node: RestorationNode, as identifier: RestorationIdentifier, below parent: RecordNumber
    ) {
        node.parentNumber = parent
        node.recordedIdentifier = identifier
        guard let index = indexes[node.number] else { return }
        output.objects[index].parent = parent
        output.objects[index].identifier = identifier
    }

    /// The places of these objects are final: their records are left out if they are the ones known
    /// already (P16).
    func settle(_ nodes: [RestorationNode]) {
        var unchanged: Set<RecordNumber> = []
        for node in nodes {
            guard let index = indexes[node.number] else { continue }
            let header = output.objects[index]
            node.fingerprint = header.fingerprint(values: encoder.bytes[header.values])
            if node.fingerprint == unsettled[node.number] { unchanged.insert(node.number) }
        }
        if !unchanged.isEmpty { output.objects.removeAll { unchanged.contains($0.number) } }
    }

    /// A record whose object is gone, with everything below it.
    func remove(_ number: RecordNumber) {
        output.removals.append(number)
    }

    /// Something that could not be preserved.
    func report(_ diagnostic: PassDiagnostic) {
        output.diagnostics.append(diagnostic)
    }

    /// Everything that the pass has to write.
    func finish() -> PassOutput {
        output.values = encoder.bytes
        if !output.isEmpty { output.names = records.names.takeNewNames() }
        return output
    }

    /// The path of an object that would stand at a place.
    func path(
        of identifier: RestorationIdentifier, below parent: RecordNumber
    ) -> RestorationPath {
        (records.path(of: parent) ?? RestorationPath([])).appending(identifier)
    }

    private func path(of node: RestorationNode) -> RestorationPath {
        path(of: node.recordedIdentifier ?? "?", below: node.parentNumber)
    }

    /// Whoever is saved where an unclaimed record stands takes its number over (R16).
    private func claimNumber(for node: RestorationNode, at place: RecordPlace) {
        let unclaimed = records.unclaimed.removeValue(forKey: place)
        if node.number == .none {
            node.number = unclaimed ?? records.numbering.next()
        } else if let unclaimed, unclaimed != node.number {
            remove(unclaimed)
        }
    }

    private func header(of object: any StateRestoring) -> RecordHeader {
        let node = object.restoration
        let names = records.names
        return RecordHeader(
            number: node.number, parent: node.parentNumber, kind: object.restorationKind,
            identifier: node.recordedIdentifier ?? "?",
            classToken: names.number(for: scene.classes.token(for: type(of: object))),
            storyboard: node.storyboard.map { names.number(for: $0.name) } ?? 0,
            storyboardIdentifier: node.storyboard.map { names.number(for: $0.identifier) } ?? 0)
    }

    /// Ends the values begun last. Keeps the record unless it is the one known already.
    ///
    /// - Returns: the record's fingerprint.
    private func keep(_ header: RecordHeader, knownAs known: Int) -> Int {
        let range = encoder.end()
        let fingerprint = header.fingerprint(values: encoder.bytes[range])
        if fingerprint == known {
            encoder.cancel()
        } else {
            var header = header
            header.values = range
            indexes[header.number] = output.objects.count
            output.objects.append(header)
        }
        return fingerprint
    }
}
