/// One preservation pass over a scene: over everything (full), or over what is marked (P14).
///
/// Its order is that of P2: the delegate's `shouldSave` and `willEncode`, the window's root view
/// controller, and everything reachable.
struct PreservationPass {
    private let scene: Scene
    private let stamp: PassStamp
    private let applicationState: StateEncoder

    private var records: SceneRecords { scene.records }

    init(scene: Scene, stamp: PassStamp) {
        self.scene = scene
        self.stamp = stamp
        applicationState = StateEncoder(names: scene.records.names, stamp: stamp)
    }

    /// - Returns: what is to be written; nil if the delegate does not want to save (P1). The marks
    ///   stay then.
    func run(isFull: Bool) -> PassOutput? {
        records.noteAttempt()
        applicationState.begin()
        let delegate = scene.delegate
        guard delegate.application(scene, shouldSaveApplicationState: applicationState) else {
            return nil
        }
        if records.sceneNumber == .none { records.sceneNumber = records.numbering.next() }
        // What only a reference keeps is found by nothing but a full pass, and so is what an
        // application-level reference leads to.
        let mustBeFull =
            isFull || records.isStructureMarked || records.isApplicationStateMarked
            || records.hasOrphans
        let marked = records.beginPass()
        defer { records.endPass() }
        return (mustBeFull ? nil : runIncremental(marked)) ?? runFull()
    }

    private func runFull() -> PassOutput {
        let recorder = PassRecorder(scene: scene, stamp: stamp, isFull: true)
        let pass = FullPass(scene: scene, recorder: recorder)
        applicationState.reference = { pass.reserve($0) }
        scene.delegate.application(scene, willEncodeRestorableStateWith: applicationState)
        applicationState.reference = nil
        applicationState.encodeReservedValues()
        recorder.recordScene(applicationState)
        pass.run()
        return recorder.finish()
    }

    /// - Returns: nil if a full pass is needed, because a marked object refers to one that has no
    ///   record or changed the tree while it encoded; every marked object is encoded again by that.
    private func runIncremental(_ marked: [RestorationNode]) -> PassOutput? {
        let recorder = PassRecorder(scene: scene, stamp: stamp, isFull: false)
        var metNewObject = false
        recorder.reference = { [records] object in
            let node = object.restoration
            if node.records == nil { node.records = records }
            if node.records === records, node.number != .none { return node.number }
            if node.identifier != nil { metNewObject = true }
            return nil
        }
        defer { recorder.reference = nil }
        var looked: [(node: RestorationNode, known: Int)] = []
        for node in marked {
            guard node.number != .none, let object = node.object,
                let identifier = node.recordedIdentifier
            else { continue }
            looked.append((node, node.fingerprint))
            recorder.record(object, as: identifier, below: node.parentNumber)
            if metNewObject || records.isStructureMarked {
                for (node, known) in looked { node.fingerprint = known }
                return nil
            }
        }
        return recorder.finish()
    }
}
