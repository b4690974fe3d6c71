/// Looks at every object of a scene: the roots, everything reachable from them, and what is
/// referred to (P2, P5, P7, P8).
final class FullPass {
    private let scene: Scene
    private let recorder: PassRecorder
    private let tree: LiveTree
    private var referenced: [any StateRestoring] = []
    private var orphans = OrphanRoots()

    private var records: SceneRecords { scene.records }

    /// - Parameter recorder: where the records go.
    init(scene: Scene, recorder: PassRecorder) {
        self.scene = scene
        self.recorder = recorder
        tree = LiveTree(scene)
        scene.records.epoch += 1
        scene.records.hasOrphans = false
    }

    /// Visits everything, and removes the records that nothing has any more.
    func run() {
        let known = records.recorded
        records.recorded = []
        recorder.reference = { [self] object in reserve(object) }
        defer { recorder.reference = nil }

        visit(tree.roots, below: nil, numbered: false)
        // Registration alone preserves, also where the parent is not reached (P12).
        referenced += scene.registeredObjects.filter(isUnreached)
        if !referenced.isEmpty {
            orphans = OrphanRoots(
                earlier: known, reached: records.recorded, below: records.sceneNumber,
                epoch: records.epoch)
            visitReferenced()
            recorder.settle(orphans.visited)
        }
        for node in known where node.epoch != records.epoch {
            if node.isUnlinked, let identifier = node.recordedIdentifier {
                // It was made for the restore and nothing took it in: its record waits (R16).
                let place = RecordPlace(parent: node.parentNumber, identifier: identifier)
                records.unclaimed[place] = node.number
            } else if node.number != .none {
                recorder.remove(node.number)
            }
            node.forgetRecord()
        }
        for number in records.takeExpired() { recorder.remove(number) }
        for object in referenced where object.restoration.epoch != records.epoch {
            object.restoration.forgetRecord()
        }
    }

    /// The number under which a referenced object will be recorded; nil: it cannot be (P8).
    func reserve(_ object: any StateRestoring) -> RecordNumber? {
        let node = object.restoration
        // Also without an identifier: if it comes to one, the next pass has to know.
        if node.records == nil { node.records = records }
        guard node.identifier != nil, node.records === records else { return nil }
        if node.number == .none { node.number = node.lastNumber }
        if node.number == .none { node.number = records.claimNumber(for: object) }
        if node.epoch != records.epoch { referenced.append(object) }
        return node.number
    }

    /// Visits siblings: each that takes part gets a record, and what lies below it is visited.
    private func visit(
        _ siblings: [any StateRestoring], below parent: RestorationNode?, numbered: Bool
    ) {
        let parentNumber = parent?.number ?? records.sceneNumber
        let resolved = SiblingIdentifiers(siblings, below: parentNumber, numbered: numbered)
        for conflict in resolved.conflicts {
            report(
                conflict.identifier, below: parentNumber, kept: siblings[conflict.kept],
                leftOut: siblings[conflict.leftOut])
        }
        for (object, identifier) in zip(siblings, resolved.identifiers) {
            object.restoration.records = records
            if let identifier {
                visit(object, as: identifier, below: parent)
            } else {
                object.restoration.leftOutEpoch = records.epoch
            }
        }
    }

    private func visit(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        below parent: RestorationNode?, isPlaced: Bool = true
    ) {
        let node = object.restoration
        let parentNumber = parent?.number ?? records.sceneNumber
        let pathBytes = (parent.map { $0.pathBytes + 1 } ?? 0) + identifier.text.utf8.count
        guard pathBytes <= RestorationPath.maximumBytes else {
            node.leftOutEpoch = records.epoch
            let path = recorder.path(of: identifier, below: parentNumber)
            recorder.report(.pathTooLong(path: path, bytes: pathBytes))
            return
        }
        if node.epoch == records.epoch {
            guard parent != nil, orphans.remove(node) else { return }
            recorder.move(node, as: identifier, below: parentNumber)
            node.pathBytes = pathBytes
            return
        }
        node.pathBytes = pathBytes
        node.epoch = records.epoch
        node.isUnlinked = false
        recorder.record(object, as: identifier, below: parentNumber, isPlaced: isPlaced)
        records.recorded.append(node)
        let children = tree.children(of: object)
        if !children.isEmpty {
            visit(children, below: node, numbered: object.numbersEqualChildren)
        }
    }

    // MARK: References

    /// Visits what references lead to, and what that refers to, until nothing new comes (P8).
    private func visitReferenced() {
        var next = 0
        var waiting: [any StateRestoring] = []
        while true {
            if next < referenced.count {
                let object = referenced[next]
                next += 1
                if !visitReferenced(object, maySupplant: false) { waiting.append(object) }
            } else if let object = waiting.popLast() {
                _ = visitReferenced(object, maySupplant: true)
            } else {
                return
            }
        }
    }

    /// Visits an object that a reference leads to: below what it lies in if that is recorded or
    /// referred to as well, else as a root (P7).
    ///
    /// - Returns: false if it has to wait, because the one that had its path before may still come
    ///   (I3); `maySupplant` says that it will not.
    private func visitReferenced(_ object: any StateRestoring, maySupplant: Bool) -> Bool {
        guard isUnreached(object) else { return true }
        var top = object
        while let parent = top.restorationParent, parent.restoration.identifier != nil,
            isUnreached(parent), referenced.contains(where: { $0 === parent })
        {
            top = parent
        }
        for object in top === object ? [object] : [top, object] where isUnreached(object) {
            if let above = object.restorationParent, above.restoration.epoch == records.epoch {
                visit(
                    [object], below: above.restoration, numbered: above.numbersEqualChildren)
            } else if !visitOrphan(object, maySupplant: maySupplant) {
                return false
            }
        }
        return true
    }

    private func visitOrphan(_ object: any StateRestoring, maySupplant: Bool) -> Bool {
        guard let identifier = object.restoration.identifier else { return true }
        records.hasOrphans = true
        switch orphans.claim(identifier, for: object.restoration, maySupplant: maySupplant) {
        case .granted:
            visit(object, as: identifier, below: nil, isPlaced: false)
        case .taken(let holder):
            object.restoration.leftOutEpoch = records.epoch
            if let holder = holder.object {
                report(identifier, below: records.sceneNumber, kept: holder, leftOut: object)
            }
        case .wait:
            return false
        }
        return true
    }

    private func isUnreached(_ object: any StateRestoring) -> Bool {
        let node = object.restoration
        return node.epoch != records.epoch && node.leftOutEpoch != records.epoch
    }

    private func report(
        _ identifier: RestorationIdentifier, below parent: RecordNumber,
        kept: any StateRestoring, leftOut: any StateRestoring
    ) {
        recorder.report(
            .equalSiblings(
                path: recorder.path(of: identifier, below: parent),
                kept: scene.classes.token(for: type(of: kept)),
                leftOut: scene.classes.token(for: type(of: leftOut))))
    }
}
