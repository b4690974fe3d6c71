/// Looks at every object of a scene: the roots, everything reachable from them, and what is
/// referred to (P2, P5, P7, P8).
final class FullPass {
    private let scene: Scene
    private let recorder: PassRecorder
    private var referenced: [any StateRestoring] = []

    private var records: SceneRecords { scene.records }

    /// - Parameter recorder: where the records go.
    init(scene: Scene, recorder: PassRecorder) {
        self.scene = scene
        self.recorder = recorder
        records.epoch += 1
        records.hasOrphans = false
    }

    /// Visits everything, and removes the records that nothing has any more.
    func run() {
        let known = records.recorded
        records.recorded = []
        recorder.reference = { [self] object in reserve(object) }
        defer { recorder.reference = nil }

        visit(LiveTree.flattened(scene.roots), below: nil, numbered: false)
        var next = 0
        while next < referenced.count {
            visitReferenced(referenced[next])
            next += 1
        }
        for object in referenced where object.restoration.epoch != records.epoch {
            object.restoration.forgetRecord()
        }
        for node in known where node.epoch != records.epoch {
            if node.number != .none { recorder.remove(node.number) }
            node.forgetRecord()
        }
    }

    /// The number under which a referenced object will be recorded; nil: it cannot be (P8).
    func reserve(_ object: any StateRestoring) -> RecordNumber? {
        let node = object.restoration
        guard node.identifier != nil, node.records == nil || node.records === records else {
            return nil
        }
        node.records = records
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
            recorder.report(
                .equalSiblings(
                    path: recorder.path(of: conflict.identifier, below: parentNumber),
                    kept: className(siblings[conflict.kept]),
                    leftOut: className(siblings[conflict.leftOut])))
        }
        for (object, identifier) in zip(siblings, resolved.identifiers) {
            object.restoration.records = records
            guard let identifier else { continue }
            visit(object, as: identifier, below: parent, parentNumber)
        }
    }

    private func visit(
        _ object: any StateRestoring, as identifier: RestorationIdentifier,
        below parent: RestorationNode?, _ parentNumber: RecordNumber
    ) {
        let node = object.restoration
        if node.epoch == records.epoch {
            if node.parentNumber == records.sceneNumber, parentNumber != records.sceneNumber {
                recorder.move(node, below: parentNumber)
            }
            return
        }
        let above = parent.map { $0.pathBytes + 1 } ?? 0
        let pathBytes = above + identifier.text.utf8.count
        guard pathBytes <= RestorationPath.maximumBytes else {
            recorder.report(
                .pathTooLong(
                    path: recorder.path(of: identifier, below: parentNumber), bytes: pathBytes))
            return
        }
        node.pathBytes = pathBytes
        node.epoch = records.epoch
        recorder.record(object, as: identifier, below: parentNumber)
        records.recorded.append(node)
        // The views in a view stand beside it, so its children were visited as its siblings.
        guard object.restorationKind != .view else { return }
        let children = LiveTree.children(of: object)
        if !children.isEmpty {
            visit(children, below: node, numbered: object.numbersEqualChildren)
        }
    }

    /// Visits an object that only a reference leads to: a root, unless something above it is
    /// referred to as well (P7).
    private func visitReferenced(_ object: any StateRestoring) {
        guard object.restoration.epoch != records.epoch else { return }
        records.hasOrphans = true
        var top = object
        while let parent = top.restorationParent, parent.restoration.identifier != nil,
            parent.restoration.epoch != records.epoch,
            referenced.contains(where: { $0 === parent })
        {
            top = parent
        }
        var parent: RestorationNode?
        if let above = top.restorationParent?.restoration, above.epoch == records.epoch {
            parent = above
        }
        visit([top], below: parent, numbered: false)
        if object.restoration.epoch != records.epoch {
            visit([object], below: nil, numbered: false)
        }
    }

    private func className(_ object: any StateRestoring) -> String {
        scene.classes.token(for: type(of: object))
    }
}
