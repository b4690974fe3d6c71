import StateRecords

/// Encodes the objects that a pass visits, and keeps the records that differ from the last ones.
struct PassRecorder: ~Copyable {
    private let scene: Scene
    private let records: SceneRecords
    private let encoder: StateEncoder
    private let classes: ClassNames
    /// Whether the scene has made no pass since its launch.
    private let isFirst: Bool
    /// What the pass has to write so far, but for the records that it encoded.
    var output: PassOutput
    /// The places of the encoded records in the encoder's bytes.
    private var spans: [RecordList.Span] = []
    /// The objects whose records these are, in the same order.
    private var nodes: [RestorationNode] = []
    /// Where objects were recorded that have another place since this pass began.
    private var earlierPlaces: [ObjectIdentifier: (node: RestorationNode, place: RecordPlace)] = [:]
    private var forgotten: [RestorationNode] = []
    /// Objects that something refers to, and that had no record then.
    var referred: [RestorationNode] = []

    /// The most objects of one pass that are named because nothing had marked them.
    private static let mostUnmarkedTold = 100
    /// What one object mostly takes, so that its record is not moved while it grows.
    private static let fewBytes = 256

    init(scene: Scene, stamp: PassStamp, isFull: Bool) {
        self.scene = scene
        records = scene.records
        isFirst = scene.records.needsFullPass
        encoder = scene.encoder
        classes = scene.classNames
        output = PassOutput(stamp: stamp, isFull: isFull)
        _ = encoder.takeBytes()  // Of a pass that the delegate did not want.
        encoder.stamp = stamp
        encoder.limits = scene.limits
        // Room for what the last full pass wrote: it is mostly as much again.
        let (objects, bytes) = isFull ? scene.records.fullPassSize : (0, Self.fewBytes)
        nodes.reserveCapacity(objects + 1)
        spans.reserveCapacity(objects + 1)
        encoder.reserveCapacity(bytes)
    }

    // MARK: Values

    /// Begins the application-level values.
    func beginApplicationState() -> StateEncoder {
        encoder.begin(records.sceneNumber)
        return encoder
    }

    /// Keeps the application-level values.
    mutating func takeApplicationState() {
        encoder.endKeys()
        records.applicationValues = EncodedValues(encoder)
        let diagnostics = encoder.diagnostics { "application state" }
        output.diagnostics += diagnostics
        records.noteEncode(records.sceneNumber, loss: diagnostics.first(where: \.isLoss))
    }

    /// Has an object encode itself. One that throws keeps its last record (P9).
    ///
    /// - Returns: false if it threw.
    mutating func encode(_ object: any StateRestoring, _ node: RestorationNode) -> Bool {
        output.encodedCount += 1
        let header = ObjectHeader(
            node, below: node.holder, object.restorationKind, classes.names(of: object, node))
        let storyboard = node.hasOrigin ? node.storyboard?.name : nil
        encoder.beginRecord(header, storyboardName: storyboard)
        do {
            try encoder.encodeState(of: object)
        } catch {
            encoder.cancel()
            let path = records.path(of: node)
            let reason = String(describing: error)
            let loss = PassDiagnostic.encodeFailed(path: path, reason: reason)
            output.diagnostics.append(loss)
            records.noteEncode(node.record.number, loss: loss)
            // The objects below it need a record to lie below.
            if !node.record.isSaved {
                encoder.beginRecord(header)
                keep(node, header)
            }
            return false
        }
        var loss: PassDiagnostic?
        if encoder.hasDiagnostics {
            let diagnostics = encoder.diagnostics { records.path(of: node).description }
            output.diagnostics += diagnostics
            loss = diagnostics.first(where: \.isLoss)
        }
        if node.hasOrigin { reportUnregisteredClass(of: node) }
        records.noteEncode(node.record.number, loss: loss)
        let fingerprint = header.fingerprint(values: encoder.valuesHash)
        if node.record.isSaved, fingerprint == node.record.fingerprint || keepsLinks(node) {
            encoder.cancel()
        } else {
            keep(node, header)
        }
        node.record.fingerprint = fingerprint
        return true
    }

    /// Whether the record of an object stays although the object encodes another: it refers to what
    /// the launch could not place, and another launch may. From now on the object is compared with
    /// what the launch made of it (R16).
    private func keepsLinks(_ node: RestorationNode) -> Bool {
        if records.linkKeepers.isEmpty { return false }
        if isFirst { return records.linkKeepers.contains(node.record.number) }
        records.linkKeepers.remove(node.record.number)
        return false
    }

    /// The objects that the values encoded last refer to.
    var references: [RestorationNode] { encoder.references }

    private mutating func reportUnregisteredClass(of node: RestorationNode) {
        guard let type = node.restorationClass, !scene.classes.isRegistered(type) else { return }
        let name = scene.classes.token(for: type)
        output.diagnostics.append(
            .restorationClassUnregistered(path: records.path(of: node), name: name))
    }

    /// The record that was encoded last is to be written. Where the object stands, it is told when
    /// the pass ends.
    private mutating func keep(_ node: RestorationNode, _ header: ObjectHeader) {
        encoder.endRecord(header, into: &spans)
        while nodes.count < spans.count { nodes.append(node) }
    }

    /// Tells which objects differ from what was saved of them although nothing marked them (P20).
    mutating func tellUnmarked() {
        if nodes.isEmpty { return }
        let encoded = RecordList(spans, in: encoder.bytes)
        for (place, node) in nodes.enumerated() where spans[place].type == .object {
            guard node.record.isSaved, !node.marks.isMarked, node.marks.markedIn != records.pass
            else { continue }
            output.unmarkedCount += 1
            if output.unmarkedCount > Self.mostUnmarkedTold { continue }
            let new = SavedValues(of: place, in: encoded)
            let keys = records.savedValues?(node.record.number)?.keysOfDifferences(from: new)
            output.diagnostics.append(
                .notInvalidated(
                    path: records.path(of: node),
                    keys: (keys ?? []).compactMap(records.names.text)))
        }
    }

    // MARK: Places

    /// A recorded object is about to have another place.
    mutating func willMove(_ node: RestorationNode) {
        guard node.record.exists, let identifier = node.record.identifier else { return }
        let key = ObjectIdentifier(node)
        if earlierPlaces[key] == nil {
            let place = RecordPlace(
                parent: node.holder?.record.number ?? .none, identifier: identifier)
            earlierPlaces[key] = (node, place)
        }
    }

    /// An object has no record any more.
    mutating func forget(_ node: RestorationNode) {
        records.noteEncode(node.record.number, loss: nil)
        records.setOmission(nil, below: node.record.number)
        if node.marks.encodedIn == records.pass {
            for index in nodes.indices.reversed() where nodes[index] === node {
                nodes.remove(at: index)
                spans.remove(at: index)
            }
            // Should it be recorded again, what it encoded is not known to be saved.
            node.record.fingerprint = 0
        }
        if node.record.isSaved { willMove(node) }
        forgotten.append(node)
    }

    // MARK: Output

    /// Everything that the pass has to write.
    consuming func finish() -> PassOutput {
        recordScene()
        let unsaved = takeRecords()
        recordMoves()
        recordRemovals()
        for node in unsaved { node.record.isSaved = node.record.exists }
        output.records.end = PassEnd(
            scene: records.sceneNumber.rawValue, timestamp: output.stamp.microseconds)
        let objects = output.records.objects
        if output.isFull { records.fullPassSize = (objects.count, objects.payloadByteCount) }
        if !output.isEmpty { output.records.names = records.names.takeNewNames() }
        return output
    }

    /// Takes the records from the encoder, and tells them where their objects stand.
    ///
    /// - Returns: the objects that have no record after all.
    private mutating func takeRecords() -> [RestorationNode] {
        var unsaved: [Int] = []
        var renamed: [Int] = []
        var bytes = encoder.takeBytes()
        bytes.withUnsafeMutableBytes { bytes in
            // Objects that lie below one and the same mostly follow each other.
            var holder: RestorationNode?
            for (place, node) in nodes.enumerated() {
                guard node.record.exists, node.belongs(to: records) else {
                    unsaved.append(place)
                    continue
                }
                if holder.map(node.isBelow) != true { holder = node.holder }
                spans[place].place(
                    node.record.number.rawValue, below: holder?.record.number.rawValue ?? 0,
                    in: bytes)
                // No object has another identifier than before if none was moved.
                if !earlierPlaces.isEmpty, let identifier = node.record.identifier,
                    !spans[place].hasIdentifier(identifier.text, in: bytes)
                {
                    renamed.append(place)
                }
                node.record.isSaved = true
                node.record.isNumberKnown = true
            }
        }
        for place in renamed {
            guard let identifier = nodes[place].record.identifier else { continue }
            spans[place].rename(to: identifier.text, in: &bytes)
        }
        let gone = unsaved.map { nodes[$0] }
        for place in unsaved.reversed() { spans.remove(at: place) }
        output.records.objects = RecordList(spans, in: bytes)
        return gone
    }

    /// The scene's own record: the application-level values, and the reserved ones.
    private mutating func recordScene() {
        var stamp = output.stamp
        // Each pass tells the time by itself.
        stamp.microseconds = 0
        if stamp == records.recordedStamp { return }
        records.recordedStamp = stamp
        let reserved = ReservedState(
            stamp: stamp, isInUse: scene.isInUse,
            unclaimed: records.unclaimed.launches.merging(records.unrestoredLaunches) { $1 },
            snapshot: records.snapshot)
        let header = ObjectHeader(scene: scene.name, number: records.sceneNumber)
        encoder.beginRecord(header)
        encoder.append(records.applicationValues)
        reserved.encode(with: encoder)
        let fingerprint = header.fingerprint(values: encoder.valuesHash)
        if fingerprint == records.root.record.fingerprint { return encoder.cancel() }
        records.root.record.fingerprint = fingerprint
        // A scene's record comes first.
        let others = spans
        spans = []
        encoder.endRecord(header, into: &spans)
        nodes.insert(contentsOf: spans.map { _ in records.root }, at: 0)
        spans += others
    }

    private mutating func recordMoves() {
        if earlierPlaces.isEmpty { return }
        let written = Set(nodes.map(\.record.number))
        for (node, place) in earlierPlaces.values
        where node.record.exists && node.record.isSaved && node.belongs(to: records) {
            guard !written.contains(node.record.number), let object = node.object else { continue }
            let header = ObjectHeader(
                node, below: node.holder, object.restorationKind, classes.names(of: object, node))
            node.record.isNumberKnown = true
            if header.place != place { output.records.placements.append(header) }
        }
        output.records.placements.sort { $0.number < $1.number }
    }

    /// Removing a record takes along what stands below it in the archive.
    private mutating func recordRemovals() {
        let removed = forgotten.filter {
            !$0.record.exists && $0.record.isSaved && !$0.record.isUnlinked
        }
        let numbers = Set(removed.map(\.record.number))
        for node in removed where node.record.isSaved {
            node.record.isSaved = false
            node.record.fingerprint = 0
            let parent = earlierPlaces[ObjectIdentifier(node)]?.place.parent
            if parent.map(numbers.contains) != true {
                output.records.removals.append(node.record.number.rawValue)
            }
        }
        // A number that values hold is never given to another object: removing it says so.
        for node in referred where !node.record.exists && !node.record.isNumberKnown {
            node.record.isNumberKnown = true
            output.records.removals.append(node.record.number.rawValue)
        }
    }
}
