import ExactText
import StateRecords

/// A recorder that encodes objects during a pass and collects the records that have changed.
struct PassRecorder: ~Copyable {
    private let scene: Scene
    private let records: SceneRecords
    private let encoder: StateEncoder
    /// Numbers of the class names in the scene's records.
    private let classNameNumbers: ClassNameNumbers
    /// Whether this is the scene's first pass since its launch.
    private let isFirstPass: Bool
    /// Output of the pass so far, without the encoded records.
    var output: PassOutput
    /// Locations of the encoded records in the encoder's bytes.
    private var spans: [RecordList.Span] = []
    /// Objects to which the encoded records belong, in the same order as ``spans``.
    private var nodes: [RestorationNode] = []
    /// Recorded positions of objects before they moved or were removed in this pass.
    private var previousPositions:
        [ObjectIdentifier: (node: RestorationNode, position: RecordPosition)] = [:]
    /// Objects whose records this pass has removed.
    private var removedNodes: [RestorationNode] = []
    /// Objects that had no record when a reference to them was encoded.
    var unrecordedReferences: [RestorationNode] = []

    /// Maximum number of missed invalidations that one pass reports individually.
    private static let maximumReportedMissedInvalidations = 100
    /// Initial buffer size for a partial pass. It is large enough for a typical record.
    private static let partialPassCapacity = 256

    init(scene: Scene, passMetadata: PassMetadata, isFullPass: Bool) {
        self.scene = scene
        records = scene.records
        isFirstPass = scene.records.needsFullPass
        encoder = scene.encoder
        classNameNumbers = scene.classNameNumbers
        output = PassOutput(passMetadata: passMetadata, isFullPass: isFullPass)
        _ = encoder.consumeBytes()  // Discards the records of a pass that the delegate refused.
        encoder.passMetadata = passMetadata
        encoder.limits = scene.limits
        // The initial capacity is the size of the last full pass, because full passes tend to have similar sizes.
        let (objectCount, byteCount) =
            isFullPass ? scene.records.fullPassSize : (0, Self.partialPassCapacity)
        nodes.reserveCapacity(objectCount + 1)
        spans.reserveCapacity(objectCount + 1)
        encoder.reserveCapacity(byteCount)
    }

    // MARK: Values

    /// Begins encoding the application-level values, and returns the encoder for them.
    func beginApplicationState() -> StateEncoder {
        encoder.begin(records.sceneNumber)
        return encoder
    }

    /// Stores the encoded application-level values in the scene's records.
    mutating func storeApplicationState() {
        encoder.encodeExcludedKeys()
        records.applicationValues = EncodedValues(encoder)
        let diagnostics = encoder.diagnostics { "application state" }
        record(diagnostics, of: records.sceneNumber)
    }

    /// Records the diagnostics about an object that has been encoded.
    private mutating func record(_ diagnostics: [PassDiagnostic], of number: RecordNumber) {
        output.diagnostics += diagnostics
        let loss = diagnostics.first(where: \.isLoss)
        if let path = loss?.incompletelySavedPath, records.losses[number] != nil {
            output.pathsOfRepeatedLosses.insert(ExactString(path))
        }
        records.recordEncoding(number, loss: loss)
    }

    /// Encodes an object, or retains its last record if the object throws an error (P9).
    ///
    /// - Returns: `false` if the object threw an error.
    mutating func encode(_ object: any StateRestoring, _ node: RestorationNode) -> Bool {
        output.encodedObjectCount += 1
        let header = ObjectHeader(
            node, below: node.parentNode, object.restorationKind,
            classNameNumbers.names(of: object, node))
        let storyboardName = node.hasOrigin ? node.storyboard?.name : nil
        encoder.beginRecord(header, storyboardName: storyboardName)
        do {
            try encoder.encodeState(of: object)
        } catch {
            encoder.discardRecord()
            let path = records.path(of: node)
            let reason = String(describing: error)
            record([.encodeFailed(path: path, reason: reason)], of: node.record.number)
            // The objects below this object need its record.
            if !node.record.isSaved {
                encoder.beginRecord(header)
                appendRecord(node, header)
            }
            return false
        }
        if encoder.hasDiagnostics {
            let diagnostics = encoder.diagnostics { records.path(of: node).description }
            record(diagnostics, of: node.record.number)
        } else {
            records.recordEncoding(node.record.number, loss: nil)
        }
        if node.hasOrigin { reportUnregisteredClass(of: node) }
        let fingerprint = header.fingerprint(valuesHash: encoder.valuesHash)
        if node.record.isSaved,
            fingerprint == node.record.fingerprint || retainsUnresolvedReferences(node)
        {
            encoder.discardRecord()
        } else {
            appendRecord(node, header)
        }
        node.record.fingerprint = fingerprint
        return true
    }

    /// Returns whether an object's record is retained although the object encodes different values.
    ///
    /// A record is retained in the first pass if it refers to objects that this launch could not restore but a later
    /// launch might. In later passes, the object's values are compared with the values that it encoded in the first
    /// pass (R16).
    private func retainsUnresolvedReferences(_ node: RestorationNode) -> Bool {
        if records.recordsWithUnresolvedReferences.isEmpty { return false }
        if isFirstPass {
            return records.recordsWithUnresolvedReferences.contains(node.record.number)
        }
        records.recordsWithUnresolvedReferences.remove(node.record.number)
        return false
    }

    /// Objects to which the most recently encoded values refer.
    var references: [RestorationNode] { encoder.references }

    private mutating func reportUnregisteredClass(of node: RestorationNode) {
        guard let type = node.restorationClass, !scene.classes.isRegistered(type) else { return }
        let name = scene.classes.token(for: type)
        output.diagnostics.append(
            .restorationClassUnregistered(path: records.path(of: node), name: name))
    }

    /// Adds the most recently encoded record to the pass.
    ///
    /// At the end of the pass, the object's position is written into the record.
    private mutating func appendRecord(_ node: RestorationNode, _ header: ObjectHeader) {
        encoder.endRecord(header, into: &spans)
        while nodes.count < spans.count { nodes.append(node) }
    }

    /// Reports objects that were not marked although they differ from their saved state (P20).
    mutating func reportMissedInvalidations() {
        if nodes.isEmpty { return }
        let encodedRecords = RecordList(spans, in: encoder.bytes)
        for (index, node) in nodes.enumerated() where spans[index].type == .object {
            guard node.record.isSaved, !node.passState.isMarked,
                node.passState.lastMarkedPass != records.passID
            else { continue }
            output.missedInvalidationCount += 1
            if output.missedInvalidationCount > Self.maximumReportedMissedInvalidations { continue }
            let newValues = SavedValues(of: index, in: encodedRecords)
            let keys = records.savedValues?(node.record.number)?.keyNumbersOfDifferences(
                from: newValues)
            output.diagnostics.append(
                .notInvalidated(
                    path: records.path(of: node),
                    keys: (keys ?? []).compactMap(records.names.text)))
        }
    }

    // MARK: Positions

    /// Stores an object's recorded position before the object moves.
    mutating func willMove(_ node: RestorationNode) {
        guard node.record.exists, let identifier = node.record.identifier else { return }
        let key = ObjectIdentifier(node)
        if previousPositions[key] == nil {
            let position = RecordPosition(
                parent: node.parentNode?.record.number ?? .none, identifier: identifier)
            previousPositions[key] = (node, position)
        }
    }

    /// Removes the record of an object.
    mutating func removeRecord(_ node: RestorationNode) {
        records.recordEncoding(node.record.number, loss: nil)
        records.setOmission(nil, below: node.record.number)
        if node.passState.lastEncodedPass == records.passID {
            for index in nodes.indices.reversed() where nodes[index] === node {
                nodes.remove(at: index)
                spans.remove(at: index)
            }
            // The encoded values were discarded, so they must be written if the object gets a new record.
            node.record.fingerprint = 0
        }
        if node.record.isSaved { willMove(node) }
        removedNodes.append(node)
    }

    // MARK: Output

    /// Returns the complete output of the pass.
    consuming func finish() -> PassOutput {
        recordScene()
        let unsavedNodes = moveRecordsToOutput()
        recordMoves()
        recordRemovals()
        for node in unsavedNodes { node.record.isSaved = node.record.exists }
        output.records.end = PassEnd(
            scene: records.sceneNumber.rawValue,
            timestamp: output.passMetadata.timestampMicroseconds)
        let objects = output.records.objects
        if output.isFullPass { records.fullPassSize = (objects.count, objects.payloadByteCount) }
        if !output.isEmpty { output.records.names = records.names.consumeNewNames() }
        return output
    }

    /// Moves the records from the encoder to the output, and writes each object's position into its record.
    ///
    /// - Returns: The objects that no longer have records in this scene.
    private mutating func moveRecordsToOutput() -> [RestorationNode] {
        var unsavedIndices: [Int] = []
        var renamedIndices: [Int] = []
        var bytes = encoder.consumeBytes()
        bytes.withUnsafeMutableBytes { bytes in
            // Objects with the same parent tend to be adjacent.
            var parentNode: RestorationNode?
            for (index, node) in nodes.enumerated() {
                guard node.record.exists, node.belongs(to: records) else {
                    unsavedIndices.append(index)
                    continue
                }
                if parentNode.map(node.isDirectlyBelow) != true { parentNode = node.parentNode }
                spans[index].writeNumbers(
                    node.record.number.rawValue, below: parentNode?.record.number.rawValue ?? 0,
                    in: bytes)
                // Identifiers can only have changed if objects were moved.
                if !previousPositions.isEmpty, let identifier = node.record.identifier,
                    !spans[index].hasIdentifier(identifier.text, in: bytes)
                {
                    renamedIndices.append(index)
                }
                node.record.isSaved = true
                node.record.isNumberReserved = true
            }
        }
        for index in renamedIndices {
            guard let identifier = nodes[index].record.identifier else { continue }
            spans[index].rename(to: identifier.text, in: &bytes)
        }
        let unsavedNodes = unsavedIndices.map { nodes[$0] }
        for index in unsavedIndices.reversed() { spans.remove(at: index) }
        output.records.objects = RecordList(spans, in: bytes)
        return unsavedNodes
    }

    /// Adds the scene's own record to the output if the record has changed.
    ///
    /// The record contains the application-level values and the reserved values.
    private mutating func recordScene() {
        var passMetadata = output.passMetadata
        // The time is not part of the comparison, because it is stored at the end of the pass.
        passMetadata.timestampMicroseconds = 0
        if passMetadata == records.recordedPassMetadata { return }
        records.recordedPassMetadata = passMetadata
        let reservedState = ReservedState(
            passMetadata: passMetadata, isInUse: scene.isInUse,
            unclaimedFailedLaunchCounts: records.unclaimedRecords.failedLaunchCounts.merging(
                records.unrestoredLaunchCounts
            ) { $1 },
            snapshot: records.snapshot, lastOperationNumbers: records.lastOperationNumbers)
        let header = ObjectHeader(scene: scene.name, number: records.sceneNumber)
        encoder.beginRecord(header)
        encoder.append(records.applicationValues)
        reservedState.encode(with: encoder)
        let fingerprint = header.fingerprint(valuesHash: encoder.valuesHash)
        if fingerprint == records.root.record.fingerprint { return encoder.discardRecord() }
        records.root.record.fingerprint = fingerprint
        // The record of a scene must come first.
        let objectSpans = spans
        spans = []
        encoder.endRecord(header, into: &spans)
        nodes.insert(contentsOf: spans.map { _ in records.root }, at: 0)
        spans += objectSpans
    }

    private mutating func recordMoves() {
        if previousPositions.isEmpty { return }
        let writtenNumbers = Set(nodes.map(\.record.number))
        for (node, position) in previousPositions.values
        where node.record.exists && node.record.isSaved && node.belongs(to: records) {
            guard !writtenNumbers.contains(node.record.number), let object = node.object else {
                continue
            }
            let header = ObjectHeader(
                node, below: node.parentNode, object.restorationKind,
                classNameNumbers.names(of: object, node))
            node.record.isNumberReserved = true
            if header.position != position { output.records.placements.append(header) }
        }
        output.records.placements.sort { $0.number < $1.number }
    }

    /// Adds the removed records to the output.
    ///
    /// In the archive, the removal of a record also removes the records below it.
    private mutating func recordRemovals() {
        let savedRemovedNodes = removedNodes.filter {
            !$0.record.exists && $0.record.isSaved && !$0.record.isAwaitingFirstPass
        }
        let removedNumbers = Set(savedRemovedNodes.map(\.record.number))
        for node in savedRemovedNodes where node.record.isSaved {
            node.record.isSaved = false
            node.record.fingerprint = 0
            let parent = previousPositions[ObjectIdentifier(node)]?.position.parent
            if parent.map(removedNumbers.contains) != true {
                output.records.removals.append(node.record.number.rawValue)
            }
        }
        // Saved values refer to these numbers. The removals ensure that no other object is ever assigned such a number.
        for node in unrecordedReferences where !node.record.exists && !node.record.isNumberReserved
        {
            node.record.isNumberReserved = true
            output.records.removals.append(node.record.number.rawValue)
        }
    }
}
