import StateRecords

/// The restoration of a scene from its saved state, in the order described by R1.
///
/// First, the run searches for every recorded object. Then the objects that were found decode their state. In both
/// steps, parents come before their children. Finally, the delegate decodes its state, and all objects are notified.
struct RestorationRun: ~Copyable {
    private let scene: Scene
    private let saved: SavedScene
    private let tree: RecordTree
    private let objects: RestoredObjects
    private let coders: SavedStateDecoders
    private var finder: ObjectFinder
    private var order: SearchOrder
    /// Indexes of the records whose objects were found, in the order in which they were found.
    private var found: [Int] = []
    /// Indexes of the records whose objects did not exist at their paths before the search.
    private var created: [Int] = []
    /// Indexes of the records whose objects failed to decode.
    private var failed: Set<Int> = []
    /// Index and node of the parent of the current record.
    private var parent: (index: Int, node: RestorationNode?) = (RecordTree.root, nil)
    private var reportBuilder: RestorationReportBuilder

    init(scene: Scene, saved: SavedScene, storyboards: (any StoryboardInstantiating)?) {
        self.scene = scene
        self.saved = saved
        let reserved = saved.reservedState(names: scene.records.names)
        tree = RecordTree(saved)
        objects = RestoredObjects(tree)
        coders = SavedStateDecoders(saved, reserved: reserved, scene: scene, objects: objects)
        finder = ObjectFinder(
            scene: scene, objects: objects, coders: coders, storyboards: storyboards)
        order = SearchOrder(tree)
        reportBuilder = RestorationReportBuilder(scene: scene, objects: objects, reserved: reserved)
        scene.records.snapshot = reserved.snapshot
    }

    mutating func run() -> RestorationReport {
        scene.records.sceneNumber = saved.number
        scene.records.root.record.fingerprint =
            ObjectHeader(scene: scene.name, number: saved.number)
            .fingerprint(values: saved.values.hash)
        let delegate = scene.delegate
        guard
            delegate.application(
                scene, shouldRestoreApplicationState: coders.applicationStateDecoder())
        else {
            refuse()
            return reportBuilder.report
        }
        find()
        retainRecordsWithUnresolvedReferences()
        scene.onStage?(.launchFound)
        decode()
        scene.onStage?(.launchDecoded)
        delegate.application(scene, didDecodeRestorableStateWith: coders.applicationStateDecoder())
        finish()
        listUnattached()
        return reportBuilder.report
    }

    /// Announces the next step on a record's object, so that a crash during the step is attributed to the object.
    ///
    /// - Parameter parent: The node of the object's parent. It is the scene's node or `nil` if the object is a root.
    private func announce(_ step: LaunchStep, _ index: Int, below parent: RestorationNode?) {
        guard let onLaunchStep = scene.onLaunchStep else { return }
        let above = max(0, parent?.record.pathBytes ?? 0)
        onLaunchStep(step, tree.header(of: index).restorationIdentifier, Int(above))
    }

    private func finish() {
        var (lastType, isLastAsync) = (ObjectIdentifier(Scene.self), false)
        for index in found {
            guard let object = objects[index] else { continue }
            announce(.finishing, index, below: object.restoration.parentNode)
            object.applicationFinishedRestoringState()
            // Objects of the same class tend to be adjacent, and a conformance lookup is slow.
            let type = ObjectIdentifier(type(of: object))
            if type != lastType {
                (lastType, isLastAsync) = (type, object is any AsyncStateRestoring)
            }
            if isLastAsync, let object = object as? any AsyncStateRestoring, !failed.contains(index)
            {
                scene.unfinished.insert(
                    UnfinishedObjects.Entry(object: object, path: tree.writtenPath(of: index)))
            }
        }
    }

    /// Discards refused state, so that later launches do not receive it.
    ///
    /// A later pass records the current version of the program (L6).
    private mutating func refuse() {
        reportBuilder.report.isRefused = true
        scene.records.snapshot = nil
        while let index = order.next() { reportBuilder.refuse(index) }
    }

    private mutating func decode() {
        defer { retainReferredRecords() }
        for index in found {
            do {
                guard let object = objects[index] else { continue }
                announce(.decoding, index, below: object.restoration.parentNode)
                try coders.decoder(at: index).decodeState(of: object)
                reportBuilder.report.restored += 1
                scene.records.recordUnreadKeys(
                    coders.unreadKeys(at: index), of: tree.numbers[index])
            } catch {
                // State that an object could not decode is retained until the object changes.
                objects[index]?.restoration.record.isUnrestored = true
                failed.insert(index)
                reportBuilder.list(index, .notDecoded(String(describing: error)))
            }
        }
    }

    /// Retains the records of objects to which unrestored records refer, so that a later launch can restore the
    /// references (R16).
    private func retainReferredRecords() {
        if failed.isEmpty, found.count == tree.count { return }
        let lost = (0..<tree.count).filter { objects[$0] == nil }
        for number in (lost + failed.sorted()).flatMap({ tree.values(of: $0).references() }) {
            guard let target = objects.index(of: number) else { continue }
            for index in [target] + tree.subtree(below: target) {
                guard let object = objects[index] else { continue }
                scene.records.retainUnlessReached(object, tree.header(of: index))
            }
        }
    }

    /// Retains the record of each restored object that refers to an unclaimed record, until the object changes.
    ///
    /// A later launch can then link the two objects again (R16).
    private func retainRecordsWithUnresolvedReferences() {
        let waiting = scene.records.unclaimed.numbers
        if waiting.isEmpty { return }
        for index in found
        where tree.values(of: index).references().contains(where: waiting.contains) {
            scene.records.recordsWithUnresolvedReferences.insert(tree.numbers[index])
        }
    }

    // MARK: Unattached objects

    /// Reports created controllers that no object contains or refers to when the restoration has finished.
    ///
    /// They count as not restored, because their former containers no longer contain them (R9, R15).
    private mutating func listUnattached() {
        let root = scene.delegate.restorationRoot
        let unattached = created.filter { index in
            objects[index].map { !$0.isInObjectTree && $0 !== root } ?? false
        }
        if unattached.isEmpty { return }
        var referred: Set<RecordNumber> = []
        referred.formUnion(saved.values.references())
        for index in found { referred.formUnion(tree.values(of: index).references()) }
        for index in unattached where !referred.contains(tree.numbers[index]) {
            reportBuilder.listUnattached(
                index, restored: { objects[$0] != nil && !failed.contains($0) })
        }
    }

    // MARK: Find

    private mutating func find() {
        found.reserveCapacity(tree.count)
        while let index = order.next() {
            guard tree.parents[index] != RecordTree.lost else {
                reportBuilder.drop(index, .noParentRecord)
                continue
            }
            findParent(of: index)
            announce(.finding, index, below: parent.node)
            let header = tree.header(of: index)
            let outcome = finder.find(index, header)
            coders.saveFoundValues(at: index)
            switch outcome {
            case .found(let finding):
                claim(finding, index, header)
                if let ignoredFinder = finding.ignoredFinder {
                    reportBuilder.listDuplicate(index, ignoring: ignoredFinder)
                }
                if let key = finding.object.restorationStackKey { descend(index, key) }
            case .dropped(let obstacle):
                reportBuilder.drop(index, obstacle)
                cutStack(order.skip(), above: tree.writtenPath(of: index))
            case .gone:
                for member in [index] + order.skip() { reportBuilder.remove(member) }
            }
        }
    }

    /// Updates ``parent`` before searching for a record's object.
    private mutating func findParent(of index: Int) {
        if tree.parents[index] != parent.index {
            parent = (tree.parents[index], objects.parent(of: index)?.restoration)
        }
    }

    /// Assigns a found object to its record, and loads the objects below the object.
    private mutating func claim(
        _ finding: ObjectFinder.Finding, _ index: Int, _ header: ObjectHeader
    ) {
        objects[index] = finding.object
        found.append(index)
        if finding.isNew { created.append(index) }
        scene.records.claim(
            finding.object, header,
            fingerprint: header.fingerprint(values: tree.values(of: index).hash), by: finding.step,
            below: parent.node,
            isAwaitingFirstPass: finding.isNew || parent.node?.record.isAwaitingFirstPass == true)
        finding.object.loadRestorationChildren()
    }

    // MARK: Stacks

    /// Continues the search with the members of an object's stack, from the bottom up.
    ///
    /// A member without a record cuts the stack just like a member that is not found (R8).
    private mutating func descend(_ index: Int, _ stackKey: StaticString) {
        let numbers = tree.values(of: index).references(
            forKey: stackKey, names: scene.records.names)
        guard let numbers else { return }
        var members: [Int] = []
        var listed: Set<Int> = []
        for number in numbers {
            guard let member = objects.index(of: number) else { break }
            guard tree.parents[member] == index, listed.insert(member).inserted else { continue }
            members.append(member)
        }
        let cutMembers = numbers.compactMap(objects.index).filter {
            tree.parents[$0] == index && listed.insert($0).inserted
        }
        order.descend(into: members, skipping: cutMembers)
        cutStack(cutMembers, above: nil)
    }

    /// Drops the members of a stack that are above a member that was not restored.
    ///
    /// - Parameter lower: The path of the member that was not restored, or `nil` if it has no record.
    private mutating func cutStack(_ members: [Int], above lower: String?) {
        for member in members {
            reportBuilder.drop(member, .stackCut(lower), appliesToDescendants: true)
        }
    }
}

extension Scene {
    /// Launches the scene, in the order described by R1.
    ///
    /// - Parameters:
    ///   - saved: The scene's state in the archive, or `nil` if there is none.
    ///   - storyboards: A source of view controllers that are not found in any other way (R3).
    ///   - isCounted: Whether this launch counts toward the maximum number of launches to which an unclaimed record is
    ///     offered. The first launch in a process counts, but a reload does not (R16).
    /// - Throws: The error that the delegate threw. In this case, the scene is not launched and is never saved (P17).
    package func launch(
        restoring saved: SavedScene?, storyboards: (any StoryboardInstantiating)? = nil,
        isCounted: Bool = true
    ) throws {
        records.isLaunchCounted = isCounted
        onStage?(.launchBegin)
        try delegate.application(self, willFinishLaunchingWith: launchReason)
        onStage?(.launchMade)
        if let saved {
            var run = RestorationRun(scene: self, saved: saved, storyboards: storyboards)
            var newReport = run.run()
            newReport.superfluousCompletions = report.superfluousCompletions
            report = newReport
        }
        try delegate.application(self, didFinishLaunchingWith: launchReason)
        onStage?(.launchFinished)
        if isExtended { awaitsCompletion = true } else { isLaunched = true }
    }
}
