import StateRecords

/// The restoration of a scene from its saved state, in the order described by R1.
///
/// The run searches for every recorded object. The objects that were found then decode their state. In both steps,
/// parents precede their children. Finally, the delegate decodes its state, and all objects are notified.
struct RestorationRun: ~Copyable {
    private let scene: Scene
    private let savedScene: SavedScene
    private let tree: RecordTree
    private let objects: RestoredObjects
    private let decoders: StateDecoderFactory
    private var finder: ObjectFinder
    private var searchOrder: SearchOrder
    /// Indexes of the records whose objects were found, in the order of the search.
    private var foundIndices: [Int] = []
    /// Indexes of the records whose objects did not already exist at their paths.
    private var createdIndices: [Int] = []
    /// Indexes of the records whose objects failed to decode.
    private var failedIndices: Set<Int> = []
    /// Record index and node of the current record's parent.
    private var parent: (index: Int, node: RestorationNode?) = (RecordTree.noParent, nil)
    private var reportBuilder: RestorationReportBuilder

    init(scene: Scene, savedScene: SavedScene, storyboards: (any StoryboardInstantiating)?) {
        self.scene = scene
        self.savedScene = savedScene
        let reservedState = savedScene.reservedState(names: scene.records.names)
        tree = RecordTree(savedScene)
        objects = RestoredObjects(tree)
        decoders = StateDecoderFactory(
            savedScene, reservedState: reservedState, scene: scene, objects: objects)
        finder = ObjectFinder(
            scene: scene, objects: objects, decoders: decoders, storyboards: storyboards)
        searchOrder = SearchOrder(tree)
        reportBuilder = RestorationReportBuilder(
            scene: scene, objects: objects, reservedState: reservedState)
        scene.records.snapshot = reservedState.snapshot
        scene.records.lastOperationNumbers = reservedState.lastOperationNumbers
    }

    mutating func run() -> RestorationReport {
        scene.records.sceneNumber = savedScene.number
        scene.records.root.record.fingerprint =
            ObjectHeader(scene: scene.name, number: savedScene.number)
            .fingerprint(valuesHash: savedScene.values.hash)
        let delegate = scene.delegate
        guard
            delegate.application(
                scene, shouldRestoreApplicationState: decoders.applicationStateDecoder())
        else {
            refuseState()
            return reportBuilder.report
        }
        findObjects()
        retainRecordsWithUnresolvedReferences()
        scene.onStage?(.launchFound)
        decodeObjects()
        scene.onStage?(.launchDecoded)
        delegate.application(
            scene, didDecodeRestorableStateWith: decoders.applicationStateDecoder())
        finishObjects()
        if !createdIndices.isEmpty {
            setRestoredReferences()
            recordLinkedObjects()
        }
        reportUnattachedObjects()
        return reportBuilder.report
    }

    /// Reports the next step on a record's object, so that a crash during the step can be attributed to the object.
    ///
    /// - Parameter parent: The node of the object's parent. It is the scene's node or `nil` if the object is a root.
    private func reportLaunchStep(_ step: LaunchStep, _ index: Int, below parent: RestorationNode?)
    {
        guard let onLaunchStep = scene.onLaunchStep else { return }
        let parentPathBytes = max(0, parent?.record.pathByteCount ?? 0)
        onLaunchStep(step, tree.header(of: index).restorationIdentifier, Int(parentPathBytes))
    }

    private func finishObjects() {
        var (lastType, isLastAsync) = (ObjectIdentifier(Scene.self), false)
        for index in foundIndices {
            guard let object = objects[index] else { continue }
            reportLaunchStep(.finishing, index, below: object.restoration.parentNode)
            object.applicationFinishedRestoringState()
            // Objects of the same class tend to be adjacent, so their slow conformance lookup is performed once.
            let type = ObjectIdentifier(type(of: object))
            if type != lastType {
                (lastType, isLastAsync) = (type, object is any AsyncStateRestoring)
            }
            if isLastAsync, let object = object as? any AsyncStateRestoring,
                !failedIndices.contains(index)
            {
                scene.unfinishedObjects.insert(
                    UnfinishedObjects.Entry(object: object, path: tree.writtenPath(of: index)))
            }
        }
    }

    /// Discards refused state, so that later launches do not receive it.
    ///
    /// The next pass records the current version of the application (L6).
    private mutating func refuseState() {
        reportBuilder.report.isRefused = true
        scene.records.snapshot = nil
        while let index = searchOrder.next() { reportBuilder.reportRefusedObject(index) }
    }

    private mutating func decodeObjects() {
        defer { retainReferencedRecords() }
        for index in foundIndices {
            do {
                guard let object = objects[index] else { continue }
                reportLaunchStep(.decoding, index, below: object.restoration.parentNode)
                try decoders.decoder(at: index).decodeState(of: object)
                reportBuilder.report.restored += 1
                scene.records.recordUnreadKeyNumbers(
                    decoders.unreadKeyNumbers(at: index), of: tree.recordNumbers[index])
            } catch {
                // State that an object could not decode is retained until the object changes.
                if let node = objects[index]?.restoration {
                    scene.records.retainUnrestoredState(of: node)
                }
                failedIndices.insert(index)
                reportBuilder.addUnrestoredObject(index, .decodingFailed(String(describing: error)))
            }
        }
    }

    /// Retains the records of objects that are referenced by unrestored records, so that a later launch can restore the
    /// references (R16).
    private func retainReferencedRecords() {
        if failedIndices.isEmpty, foundIndices.count == tree.count { return }
        var targetIndices: Set<Int> = []
        for index in 0..<tree.count where objects[index] == nil || failedIndices.contains(index) {
            targetIndices.formUnion(
                tree.values(of: index).references().lazy.compactMap(objects.index))
        }
        var retainedEnd = 0
        // A target before `retainedEnd` is part of the previous target's subtree.
        for targetIndex in targetIndices.sorted() where targetIndex >= retainedEnd {
            retainedEnd = tree.subtreeEnds[targetIndex]
            for index in targetIndex..<retainedEnd {
                guard let object = objects[index] else { continue }
                scene.records.retainUnlessReached(object, tree.header(of: index))
            }
        }
    }

    /// Retains the record of each restored object that refers to an unclaimed record (R16).
    ///
    /// The record is retained until the object changes, so that a later launch can restore the reference.
    private func retainRecordsWithUnresolvedReferences() {
        let unclaimedNumbers = scene.records.unclaimedRecords.recordNumbers
        if unclaimedNumbers.isEmpty { return }
        for index in foundIndices
        where tree.values(of: index).references().contains(where: unclaimedNumbers.contains) {
            scene.records.recordsWithUnresolvedReferences.insert(tree.recordNumbers[index])
        }
    }

    // MARK: Unattached objects

    private func setRestoredReferences() {
        scene.records.restoredReferences = { [tree, foundIndices, values = savedScene.values] in
            var numbers = Set(values.references())
            for index in foundIndices { numbers.formUnion(tree.values(of: index).references()) }
            return numbers
        }
    }

    /// Records which created objects are part of the object tree at the end of the restoration.
    ///
    /// If the application replaces such an object before the first pass, the replacement does not inherit its record.
    private func recordLinkedObjects() {
        for index in createdIndices {
            guard let object = objects[index], scene.isReachable(object.restoration) else {
                continue
            }
            scene.records.linkedRecordNumbers.insert(tree.recordNumbers[index])
        }
    }
    /// Reports controllers that were created but are not contained or referenced by any object at the end of the
    /// restoration.
    ///
    /// These controllers count as not restored, because their former containers no longer contain them (R9, R15).
    private mutating func reportUnattachedObjects() {
        let root = scene.delegate.restorationRoot
        let unattachedIndices = createdIndices.filter { index in
            objects[index].map { !$0.isInObjectTree && $0 !== root } ?? false
        }
        if unattachedIndices.isEmpty { return }
        let referencedNumbers = scene.records.restoredReferences?() ?? []
        for index in unattachedIndices where !referencedNumbers.contains(tree.recordNumbers[index])
        {
            reportBuilder.reportUnattachedObject(
                index, isRestored: { objects[$0] != nil && !failedIndices.contains($0) })
        }
    }

    // MARK: Find

    private mutating func findObjects() {
        foundIndices.reserveCapacity(tree.count)
        while let index = searchOrder.next() {
            guard tree.parentIndices[index] != RecordTree.missingParent else {
                reportBuilder.reportUnrestoredSubtree(index, .noParentRecord)
                continue
            }
            updateParent(of: index)
            reportLaunchStep(.finding, index, below: parent.node)
            let header = tree.header(of: index)
            let outcome = finder.find(index, header)
            decoders.recordFoundValues(at: index)
            switch outcome {
            case .found(let finding):
                claim(finding, index, header)
                if let ignoredFinderDescription = finding.ignoredFinderDescription {
                    reportBuilder.reportIgnoredObject(index, ignoring: ignoredFinderDescription)
                }
                if let key = finding.object.restorationStackKey { descendIntoStack(index, key) }
            case .notRestored(let obstacle):
                reportBuilder.reportUnrestoredSubtree(index, obstacle)
                reportUnrestoredStackMembers(
                    searchOrder.skipSubtree(), above: tree.writtenPath(of: index))
            case .gone:
                for member in [index] + searchOrder.skipSubtree() {
                    reportBuilder.reportRemovedObject(member)
                }
            }
        }
    }

    /// Updates ``parent`` before the search for a record's object.
    private mutating func updateParent(of index: Int) {
        if tree.parentIndices[index] != parent.index {
            parent = (tree.parentIndices[index], objects.parent(of: index)?.restoration)
        }
    }

    /// Assigns a record to the object that was found for it, and loads the objects below the object.
    private mutating func claim(
        _ finding: ObjectFinder.Finding, _ index: Int, _ header: ObjectHeader
    ) {
        objects[index] = finding.object
        foundIndices.append(index)
        if finding.isNew { createdIndices.append(index) }
        scene.records.claim(
            finding.object, header,
            fingerprint: header.fingerprint(valuesHash: tree.values(of: index).hash),
            by: finding.step,
            below: parent.node,
            isAwaitingFirstPass: finding.isNew || parent.node?.record.isAwaitingFirstPass == true)
        finding.object.loadRestorationChildren()
    }

    // MARK: Stacks

    /// Continues the search with the members of an object's stack, from the bottom up.
    ///
    /// A member without a record cuts the stack, as does a member that is not found (R8).
    private mutating func descendIntoStack(_ index: Int, _ stackKey: StaticString) {
        let memberNumbers = tree.values(of: index).references(
            forKey: stackKey, names: scene.records.names)
        guard let memberNumbers else { return }
        var memberIndices: [Int] = []
        var listedIndices: Set<Int> = []
        for number in memberNumbers {
            guard let member = objects.index(of: number) else { break }
            guard tree.parentIndices[member] == index, listedIndices.insert(member).inserted else {
                continue
            }
            memberIndices.append(member)
        }
        let upperMemberIndices = memberNumbers.compactMap(objects.index).filter {
            tree.parentIndices[$0] == index && listedIndices.insert($0).inserted
        }
        searchOrder.descend(into: memberIndices, skipping: upperMemberIndices)
        reportUnrestoredStackMembers(upperMemberIndices, above: nil)
    }

    /// Drops the stack members above a member that was not restored.
    ///
    /// - Parameter lowerPath: The path of the member that was not restored, or `nil` if it has no record.
    private mutating func reportUnrestoredStackMembers(
        _ memberIndices: [Int], above lowerPath: String?
    ) {
        for index in memberIndices {
            reportBuilder.reportUnrestoredSubtree(
                index, .lowerStackMemberNotRestored(lowerPath), appliesToDescendants: true)
        }
    }
}

extension Scene {
    /// Launches the scene, in the order described by R1.
    ///
    /// - Parameters:
    ///   - savedScene: The scene's state in the archive, or `nil` if there is none.
    ///   - storyboards: The storyboards that create view controllers if they are not found in any other way (R3).
    ///   - countsAsAttempt: Whether this launch counts toward the maximum number of launches that try to restore an
    ///     unclaimed record (R16). The first launch in a process counts, but a reload does not.
    /// - Throws: The error that the delegate threw. In this case, the scene is not launched and is never saved (P17).
    package func launch(
        restoring savedScene: SavedScene?, storyboards: (any StoryboardInstantiating)? = nil,
        countsAsAttempt: Bool = true
    ) throws {
        records.isLaunchCounted = countsAsAttempt
        onStage?(.launchBegin)
        try delegate.application(self, willFinishLaunchingWith: launchReason)
        onStage?(.launchCreatedBaseObjects)
        if let savedScene {
            var run = RestorationRun(scene: self, savedScene: savedScene, storyboards: storyboards)
            var newReport = run.run()
            newReport.superfluousCompletions = report.superfluousCompletions
            report = newReport
        }
        try delegate.application(self, didFinishLaunchingWith: launchReason)
        onStage?(.launchFinished)
        if isLaunchExtended { awaitsCompletion = true } else { isLaunched = true }
    }
}
