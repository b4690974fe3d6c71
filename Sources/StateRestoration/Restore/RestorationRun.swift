import StateRecords

/// Restoration of a scene from its saved state, in the order of R1.
///
/// Every recorded object is found, then all objects decode, parents first in both steps. Then the delegate
/// decodes, and finally all objects are notified.
struct RestorationRun: ~Copyable {
    private let scene: Scene
    private let saved: SavedScene
    private let tree: RecordTree
    private let objects: RestoredObjects
    private let coders: SavedCoders
    private var finder: ObjectFinder
    private var order: SearchOrder
    /// Indexes of the records whose objects were found, in the order in which they were found.
    private var found: [Int] = []
    /// Indexes of the records for which objects were created.
    private var made: [Int] = []
    /// Indexes of the records whose objects could not decode.
    private var failed: Set<Int> = []
    /// Parent of the record that was last searched for.
    private var parent: (place: Int, node: RestorationNode?) = (RecordTree.root, nil)
    private var reportBuilder: RestorationReportBuilder

    init(scene: Scene, saved: SavedScene, storyboards: (any StoryboardFinding)?) {
        self.scene = scene
        self.saved = saved
        let reserved = saved.reservedState(names: scene.records.names)
        tree = RecordTree(saved)
        objects = RestoredObjects(tree)
        coders = SavedCoders(saved, reserved: reserved, scene: scene, objects: objects)
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
            delegate.application(scene, shouldRestoreApplicationState: coders.applicationState())
        else {
            refuse()
            return reportBuilder.report
        }
        find()
        retainLinkRecords()
        scene.onStage?(.launchFound)
        decode()
        scene.onStage?(.launchDecoded)
        delegate.application(scene, didDecodeRestorableStateWith: coders.applicationState())
        finish()
        listLoose()
        return reportBuilder.report
    }

    /// Reports the next step on a record's object, so that a crash during the step is attributed to the
    /// object.
    ///
    /// - Parameter parent: The node of the object's parent, or the root's node or `nil` if the object is a root.
    private func reach(_ step: LaunchStep, _ place: Int, below parent: RestorationNode?) {
        guard let onObject = scene.onObject else { return }
        let above = max(0, parent?.record.pathBytes ?? 0)
        onObject(step, tree.header(of: place).restorationIdentifier, Int(above))
    }

    private func finish() {
        var (lastType, isLastAsync) = (ObjectIdentifier(Scene.self), false)
        for place in found {
            guard let object = objects[place] else { continue }
            reach(.finishing, place, below: object.restoration.holder)
            object.applicationFinishedRestoringState()
            // Objects of the same class tend to be adjacent, and a conformance lookup is slow.
            let type = ObjectIdentifier(type(of: object))
            if type != lastType {
                (lastType, isLastAsync) = (type, object is any AsyncStateRestoring)
            }
            if isLastAsync, let object = object as? any AsyncStateRestoring, !failed.contains(place)
            {
                scene.unfinished.insert(
                    UnfinishedObjects.Entry(object: object, path: tree.writtenPath(of: place)))
            }
        }
    }

    /// Discards refused state, so that it is not offered again. A later pass records the current version
    /// (L6).
    private mutating func refuse() {
        reportBuilder.report.isRefused = true
        scene.records.snapshot = nil
        while let place = order.next() { reportBuilder.refuse(place) }
    }

    private mutating func decode() {
        defer { retainReferredRecords() }
        for place in found {
            do {
                guard let object = objects[place] else { continue }
                reach(.decoding, place, below: object.restoration.holder)
                try coders.object(at: place).decodeState(of: object)
                reportBuilder.report.restored += 1
                scene.records.recordUnreadKeys(
                    coders.unreadKeys(at: place), of: tree.numbers[place])
            } catch {
                // State that the object could not decode is retained until the object changes.
                objects[place]?.restoration.record.isUnrestored = true
                failed.insert(place)
                reportBuilder.list(place, .notDecoded(String(describing: error)))
            }
        }
    }

    /// Retains the records of objects that unrestored records refer to, for another launch (R16).
    private func retainReferredRecords() {
        if failed.isEmpty, found.count == tree.count { return }
        let lost = (0..<tree.count).filter { objects[$0] == nil }
        for number in (lost + failed.sorted()).flatMap({ tree.values(of: $0).references() }) {
            guard let target = objects.place(of: number) else { continue }
            for place in [target] + tree.subtree(below: target) {
                guard let object = objects[place] else { continue }
                scene.records.retainUnlessReached(object, tree.header(of: place))
            }
        }
    }

    /// Retains the record of a restored object that refers to an unclaimed record, until the object changes.
    ///
    /// A later launch can then link the two objects again (R16).
    private func retainLinkRecords() {
        let waiting = scene.records.unclaimed.numbers
        if waiting.isEmpty { return }
        for place in found
        where tree.values(of: place).references().contains(where: waiting.contains) {
            scene.records.linkKeepers.insert(tree.numbers[place])
        }
    }

    // MARK: Loose objects

    /// Reports created controllers that no object contains or refers to at the end of the restoration.
    ///
    /// They count as not restored, because their containers no longer contain them (R9, R15).
    private mutating func listLoose() {
        let root = scene.delegate.restorationRoot
        let loose = made.filter { place in
            objects[place].map { !$0.hasPlace && $0 !== root } ?? false
        }
        if loose.isEmpty { return }
        var referred: Set<RecordNumber> = []
        referred.formUnion(saved.values.references())
        for place in found { referred.formUnion(tree.values(of: place).references()) }
        for place in loose where !referred.contains(tree.numbers[place]) {
            reportBuilder.listLoose(place, restored: { objects[$0] != nil && !failed.contains($0) })
        }
    }

    // MARK: Find

    private mutating func find() {
        found.reserveCapacity(tree.count)
        while let place = order.next() {
            guard tree.parents[place] != RecordTree.lost else {
                reportBuilder.drop(place, .noParentRecord)
                continue
            }
            findParent(of: place)
            reach(.finding, place, below: parent.node)
            let header = tree.header(of: place)
            let outcome = finder.find(place, header)
            coders.endFinding(at: place)
            switch outcome {
            case .found(let finding):
                claim(finding, place, header)
                if let rival = finding.rival { reportBuilder.listDuplicate(place, given: rival) }
                if let key = finding.object.restorationStackKey { descend(place, key) }
            case .dropped(let obstacle):
                reportBuilder.drop(place, obstacle)
                cutStack(order.skip(), above: tree.writtenPath(of: place))
            case .gone:
                for member in [place] + order.skip() { reportBuilder.remove(member) }
            }
        }
    }

    /// Updates ``parent`` before the search for a record's object.
    private mutating func findParent(of place: Int) {
        if tree.parents[place] != parent.place {
            parent = (tree.parents[place], objects.parent(of: place)?.restoration)
        }
    }

    /// Assigns a found object to its record, and loads the objects below it.
    private mutating func claim(
        _ finding: ObjectFinder.Finding, _ place: Int, _ header: ObjectHeader
    ) {
        objects[place] = finding.object
        found.append(place)
        if finding.isMade { made.append(place) }
        scene.records.claim(
            finding.object, header,
            fingerprint: header.fingerprint(values: tree.values(of: place).hash), by: finding.step,
            below: parent.node,
            isUnlinked: finding.isMade || parent.node?.record.isUnlinked == true)
        finding.object.loadRestorationChildren()
    }

    // MARK: Stacks

    /// Continues with the members of an object's stack, from the bottom up.
    ///
    /// A member without a record cuts the stack in the same way as a member that is not found (R8).
    private mutating func descend(_ place: Int, _ stackKey: StaticString) {
        let numbers = tree.values(of: place).references(
            forKey: stackKey, names: scene.records.names)
        guard let numbers else { return }
        var members: [Int] = []
        var named: Set<Int> = []
        for number in numbers {
            guard let member = objects.place(of: number) else { break }
            guard tree.parents[member] == place, named.insert(member).inserted else { continue }
            members.append(member)
        }
        let cut = numbers.compactMap(objects.place).filter {
            tree.parents[$0] == place && named.insert($0).inserted
        }
        order.descend(into: members, leavingOut: cut)
        cutStack(cut, above: nil)
    }

    /// Drops the members of a stack that are above a member that was not restored.
    ///
    /// - Parameter lower: The path of the member that was not restored, or `nil` if it has no record.
    private mutating func cutStack(_ members: [Int], above lower: String?) {
        for member in members { reportBuilder.drop(member, .stackCut(lower), asWell: true) }
    }
}

extension Scene {
    /// Launches the scene, in the order of R1.
    ///
    /// - Parameters:
    ///   - saved: The state of the scene in the archive, or `nil` if it has none.
    ///   - storyboards: A source of view controllers that were not found in another way (R3).
    ///   - isCounted: Whether this launch counts among the launches to which an unclaimed record is offered.
    ///     The first launch in a process counts, but a reload does not (R16).
    /// - Throws: The error that the delegate threw. In this case, the scene is not launched and is never saved (P17).
    package func launch(
        restoring saved: SavedScene?, storyboards: (any StoryboardFinding)? = nil,
        isCounted: Bool = true
    ) throws {
        records.isLaunchCounted = isCounted
        onStage?(.launchBegin)
        try delegate.application(self, willFinishLaunchingWith: launchReason)
        onStage?(.launchMade)
        if let saved {
            var run = RestorationRun(scene: self, saved: saved, storyboards: storyboards)
            var account = run.run()
            account.superfluousCompletions = report.superfluousCompletions
            report = account
        }
        try delegate.application(self, didFinishLaunchingWith: launchReason)
        onStage?(.launchFinished)
        if isExtended { awaitsCompletion = true } else { isLaunched = true }
    }
}
