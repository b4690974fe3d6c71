/// One preservation pass over a scene: over everything (full), or over what is marked.
///
/// A full pass follows P2: the delegate's `shouldSave` and `willEncode`, the window's root view
/// controller, and everything reachable from it, from registered objects and through references.
final class PreservationPass {
    private let scene: Scene
    private let records: SceneRecords
    private let encoder: StateEncoder
    private var output: PassOutput
    private var referenced: [any StateRestoring] = []
    private var headers: [RecordNumber: Int] = [:]
    private var metNewReference = false

    init(scene: Scene, stamp: PassStamp) {
        self.scene = scene
        records = scene.records
        encoder = StateEncoder(names: records.names, stamp: stamp)
        output = PassOutput(scene: .none, stamp: stamp, isFull: true)
    }

    /// - Returns: nil if the delegate does not want to save (P1). The marks stay then.
    func run(isFull: Bool) -> PassOutput? {
        encoder.begin()
        guard scene.delegate.application(scene, shouldSaveApplicationState: encoder) else {
            return nil
        }
        if records.sceneNumber == .none { records.sceneNumber = records.numbering.next() }
        output.scene = records.sceneNumber
        let mustBeFull = isFull || records.isStructureMarked || records.hasOrphans
        if mustBeFull || records.isApplicationStateMarked {
            encodeApplicationState()
        } else {
            encoder.cancel()
        }
        if mustBeFull || !runIncremental() { runFull() }
        records.clearMarks()
        output.values = encoder.bytes
        if !output.isEmpty { output.names = records.names.takeNewNames() }
        return output
    }

    // MARK: Full

    private func runFull() {
        output.isFull = true
        records.epoch += 1
        records.hasOrphans = false
        let known = records.recorded
        records.recorded = []
        encoder.reference = { [self] object in reserve(object) }
        defer { encoder.reference = nil }

        visit(
            LiveTree.flattened(scene.roots), below: records.sceneNumber, pathBytes: -1, equal: false
        )
        var next = 0
        while next < referenced.count {
            visitReferenced(referenced[next])
            next += 1
        }
        for object in referenced where object.restoration.epoch != records.epoch {
            object.restoration.number = .none
        }
        for node in known where node.epoch != records.epoch {
            output.removals.append(node.number)
            node.number = .none
            node.fingerprint = 0
        }
    }

    /// Visits siblings: each that takes part gets a record, and what lies below it is visited.
    private func visit(
        _ siblings: [any StateRestoring], below parent: RecordNumber, pathBytes: Int, equal: Bool
    ) {
        let taken = resolveEqualSiblings(siblings, below: parent, numbered: equal)
        for (index, object) in siblings.enumerated() {
            let node = object.restoration
            node.records = records
            guard let identifier = taken[index] else { continue }
            let bytes = pathBytes + 1 + identifier.text.utf8.count
            guard bytes <= RestorationPath.maximumBytes else {
                output.diagnostics.append(
                    .pathTooLong(path: path(identifier, below: parent), bytes: bytes))
                continue
            }
            if node.epoch == records.epoch {
                moveOrphan(node, below: parent)
                continue
            }
            node.pathBytes = bytes
            record(object, as: identifier, below: parent)
            visitChildren(of: object)
        }
    }

    private func visitChildren(of object: any StateRestoring) {
        guard object.restorationKind != .view else { return }
        let children = LiveTree.children(of: object)
        if children.isEmpty { return }
        visit(
            children, below: object.restoration.number,
            pathBytes: object.restoration.pathBytes, equal: object.numbersEqualChildren)
    }

    /// The identifier under which each sibling is recorded; nil: it is not (I1, I3).
    private func resolveEqualSiblings(
        _ siblings: [any StateRestoring], below parent: RecordNumber, numbered: Bool
    ) -> [RestorationIdentifier?] {
        let identifiers = siblings.map { $0.restoration.identifier }
        if identifiers.count < 2 { return identifiers }
        var holders: [RestorationIdentifier: Int] = [:]
        var counts: [RestorationIdentifier: Int] = [:]
        var taken = identifiers
        for (index, identifier) in identifiers.enumerated() {
            guard let identifier else { continue }
            guard let holder = holders[identifier] else {
                holders[identifier] = index
                counts[identifier] = 1
                continue
            }
            if numbered && siblings[index].restorationKind == .viewController {
                counts[identifier, default: 1] += 1
                taken[index] = RestorationIdentifier(
                    identifier, ordinal: counts[identifier, default: 1])
                continue
            }
            let node = siblings[index].restoration
            let isEarlier =
                node.number != .none && node.parentNumber == parent
                && node.recordedIdentifier == identifier
            let loser = isEarlier ? holder : index
            let winner = isEarlier ? index : holder
            holders[identifier] = winner
            taken[loser] = nil
            output.diagnostics.append(
                .equalSiblings(
                    path: path(identifier, below: parent), kept: className(siblings[winner]),
                    leftOut: className(siblings[loser])))
        }
        return taken
    }

    // MARK: References

    /// The number under which a referenced object will be recorded; nil: it cannot be (P8).
    private func reserve(_ object: any StateRestoring) -> RecordNumber? {
        let node = object.restoration
        guard node.identifier != nil, node.records == nil || node.records === records else {
            return nil
        }
        node.records = records
        if node.number == .none {
            let parent = object.restorationParent?.restoration.number ?? records.sceneNumber
            let place = node.identifier.map { RecordPlace(parent: parent, identifier: $0) }
            let unclaimed = place.flatMap { records.unclaimed.removeValue(forKey: $0) }
            node.number = unclaimed ?? records.numbering.next()
        }
        if node.epoch != records.epoch { referenced.append(object) }
        return node.number
    }

    /// Visits an object that only a reference leads to: a root, unless an ancestor of it is
    /// referenced too (P7).
    private func visitReferenced(_ object: any StateRestoring) {
        guard object.restoration.epoch != records.epoch else { return }
        var root = object
        while let parent = root.restorationParent, parent.restoration.identifier != nil,
            parent.restoration.epoch != records.epoch,
            referenced.contains(where: { $0 === parent })
        {
            root = parent
        }
        records.hasOrphans = true
        var parent = records.sceneNumber
        var pathBytes = -1
        if let above = root.restorationParent, above.restoration.epoch == records.epoch {
            parent = above.restoration.number
            pathBytes = above.restoration.pathBytes
        }
        visit([root], below: parent, pathBytes: pathBytes, equal: false)
        if object.restoration.epoch != records.epoch {
            visit([object], below: records.sceneNumber, pathBytes: -1, equal: false)
        }
    }

    /// An object that was recorded as a root turns out to lie below another record.
    private func moveOrphan(_ node: RestorationNode, below parent: RecordNumber) {
        guard node.parentNumber == records.sceneNumber, parent != records.sceneNumber else {
            return
        }
        node.parentNumber = parent
        if let index = headers[node.number] {
            output.objects[index].parent = parent
        }
        node.fingerprint = 0
    }

    // MARK: Incremental

    /// - Returns: false if a full pass is needed, because an object referred to a new one.
    private func runIncremental() -> Bool {
        let begun = output
        encoder.reference = { [self] object in
            let node = object.restoration
            if node.records === records, node.number != .none { return node.number }
            metNewReference = node.identifier != nil
            return nil
        }
        defer { encoder.reference = nil }
        output.isFull = false
        for node in records.marked {
            guard node.number != .none, let object = node.object,
                let identifier = node.recordedIdentifier
            else { continue }
            record(object, as: identifier, below: node.parentNumber)
            if metNewReference {
                output = begun
                for node in records.marked { node.fingerprint = 0 }
                return false
            }
        }
        return true
    }

    // MARK: Recording

    private func encodeApplicationState() {
        let delegate = scene.delegate
        encoder.reference = { [self] object in reserve(object) }
        defer { encoder.reference = nil }
        delegate.application(scene, willEncodeRestorableStateWith: encoder)
        encoder.encode(output.stamp.bundleVersion, forKey: ReservedKey.bundleVersion)
        encoder.encode(output.stamp.systemVersion, forKey: ReservedKey.systemVersion)
        encoder.encode(output.stamp.interfaceIdiom, forKey: ReservedKey.interfaceIdiom)
        let header = RecordHeader(
            number: records.sceneNumber, parent: .none, kind: .scene, identifier: scene.name,
            classToken: 0)
        let fingerprint = keep(header, knownAs: records.sceneFingerprint)
        records.sceneFingerprint = fingerprint
    }

    /// Encodes one object, and keeps its record if it differs from the last one.
    private func record(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        below parent: RecordNumber
    ) {
        let node = object.restoration
        let place = RecordPlace(parent: parent, identifier: identifier)
        let unclaimed = records.unclaimed.removeValue(forKey: place)
        if node.number == .none {
            node.number = unclaimed ?? records.numbering.next()
        } else if let unclaimed {
            output.removals.append(unclaimed)
        }
        if output.isFull { records.recorded.append(node) }
        node.object = object
        node.epoch = records.epoch
        node.parentNumber = parent
        node.recordedIdentifier = identifier

        let names = records.names
        let header = RecordHeader(
            number: node.number, parent: parent, kind: object.restorationKind,
            identifier: identifier,
            classToken: names.number(for: scene.classes.token(for: type(of: object))),
            storyboard: node.storyboard.map { names.number(for: $0.name) } ?? 0,
            storyboardIdentifier: node.storyboard.map { names.number(for: $0.identifier) } ?? 0)
        encoder.begin(storyboardName: node.storyboard?.name)
        output.encodedCount += 1
        do {
            try object.encodeRestorableState(with: encoder)
            report(encoder.problems, identifier, below: parent)
        } catch {
            encoder.cancel()
            output.diagnostics.append(
                .encodeFailed(
                    path: path(identifier, below: parent), reason: String(describing: error)))
            if node.fingerprint != 0 { return }
        }
        node.fingerprint = keep(header, knownAs: node.fingerprint)
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
            headers[header.number] = output.objects.count
            output.objects.append(header)
        }
        return fingerprint
    }

    private func report(
        _ problems: [StateEncoder.Problem], _ identifier: RestorationIdentifier,
        below parent: RecordNumber
    ) {
        for problem in problems {
            let path = path(identifier, below: parent)
            switch problem.cause {
            case .writtenTwice:
                output.diagnostics.append(.keyWrittenTwice(path: path, key: problem.key))
            case .referenceWithoutIdentifier:
                output.diagnostics.append(
                    .referenceWithoutIdentifier(path: path, key: problem.key))
            }
        }
    }

    private func path(
        _ identifier: RestorationIdentifier, below parent: RecordNumber
    ) -> RestorationPath {
        (records.path(of: parent) ?? RestorationPath([])).appending(identifier)
    }

    private func className(_ object: any StateRestoring) -> String {
        scene.classes.token(for: type(of: object))
    }
}
