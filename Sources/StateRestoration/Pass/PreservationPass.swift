import ExactText
import StateRecords

/// One preservation pass over a scene: over everything (full), or over what is marked (P14).
///
/// Its order is that of P2: the delegate's `shouldSave` and `willEncode`, the window's root view
/// controller, and everything reachable. It goes on in steps until nothing is left to do: objects
/// are listed below the ones that hold them, encode themselves once, and what only a reference
/// keeps, or nothing keeps any more, is settled when everything else is known.
struct PreservationPass: ~Copyable {
    let scene: Scene
    let records: SceneRecords
    var recorder: PassRecorder
    let isFull: Bool
    /// Whether the scene has made no pass since its launch.
    let isFirst: Bool
    private let scope: PassScope

    /// Objects to visit, the next one last.
    var visits: [Visit] = []
    /// Objects that have to encode, in their order, behind those of ``nextEncoding``.
    private var encoding: [Visit] = []
    /// The first objects that have to encode, the next one last.
    private var nextEncoding: [Visit] = []
    /// Objects whose turn comes when what they lie in is found at its place again.
    private var deferred: [Visit] = []
    /// Objects that are not at their places any more.
    var detached: [RestorationNode] = []
    /// How often single objects came or left during the pass.
    private var childChangeCount = 0
    private static let mostChildChanges = 16
    /// Objects that left what they lay in, which was not listed again for them.
    var departed: [RestorationNode] = []
    /// Whether all that this pass found at its place is there still, and so is what holds it.
    var isUndisturbed = true
    /// Objects that something refers to, and that have no place yet.
    var candidates: [RestorationNode] = []
    /// Objects that kept changing what lies below them: the next pass lists that again.
    var unsettled: [RestorationNode] = []
    /// Candidates for the next pass.
    var postponed: [RestorationNode] = []
    /// Orphans whose path had another object before, which may still come (I3).
    var contested: [RestorationNode] = []
    /// Orphans that something does not refer to any more.
    var released: [RestorationNode] = []
    /// Whether orphans were placed since this pass looked for those that only refer to each other.
    var mayHaveGarbage = true
    /// How often it has looked.
    var collections = 0
    /// The objects below the scene by their identifiers; nil: to be found out.
    var rootIndex: [RestorationIdentifier: RestorationNode]?

    /// A look at one object.
    struct Visit {
        let object: any StateRestoring
        let node: RestorationNode
        /// Whether the object encodes itself, besides listing what lies below it.
        let encodes: Bool
    }

    /// Tells this pass from others.
    var id: UInt64 { records.pass }

    private init(scene: Scene, stamp: PassStamp, scope: PassScope) {
        self.scene = scene
        records = scene.records
        self.scope = scope
        isFirst = scene.records.needsFullPass
        isFull = isFirst || scope.isFull
        recorder = PassRecorder(scene: scene, stamp: stamp, isFull: isFull)
    }

    /// - Returns: what is to be written; nil if the delegate does not want to save (P1). The marks
    ///   stay then.
    static func run(on scene: Scene, stamp: PassStamp, scope: PassScope) -> PassOutput? {
        scene.records.hasAsked = false
        return PreservationPass(scene: scene, stamp: stamp, scope: scope).run()
    }

    private consuming func run() -> PassOutput? {
        let (scene, records) = (scene, records)
        let applicationState = recorder.beginApplicationState()
        guard
            scene.delegate.application(scene, shouldSaveApplicationState: applicationState)
        else { return nil }
        if records.sceneNumber == .none { records.sceneNumber = records.numbering.next() }
        let encodesApplicationState = isFull || records.request.isApplicationStateMarked
        let marked = records.beginPass()
        defer { records.isPassing = false }
        scene.onStage?(.passBegin)
        begin()
        if encodesApplicationState {
            scene.delegate.application(scene, willEncodeRestorableStateWith: applicationState)
            recorder.takeApplicationState()
            setReferences(of: records.root, to: recorder.references)
        }
        applicationState.cancel()
        if isFull { list(records.root) } else { encode(marked) }
        while step() {}
        recheck()
        if scope == .everything(snapshot: true) { takeSnapshot() }
        records.request.candidates += postponed
        for node in unsettled { records.markStructure(node) }
        scene.onStage?(.passEncoded)
        return recorder.finish()
    }

    /// Finds out where to begin.
    private mutating func begin() {
        if records.request.areRegistrationsMarked || isFull {
            records.request.areRegistrationsMarked = false
            for parent in scene.registrations.refresh() { records.markStructure(parent) }
            for object in scene.registrations.objects {
                records.adopt(object, object.restoration)
                candidates.append(object.restoration)
            }
            records.markStructure(records.root)
        }
        let root = scene.delegate.restorationRoot?.restoration
        if root !== scene.preservedRoot {
            scene.preservedRoot = root
            records.markStructure(records.root)
        }
        candidates += records.request.candidates
        records.request.candidates = []
        released = records.request.released
        records.request.released = []
        recorder.output.records.removals = records.expired.map(\.rawValue)
        records.expired = []
        guard isFull else { return }
        _ = records.takeStructureMarked()
        _ = records.takeChildChanges()
        visitOrphans()
    }

    /// Keeps how the scene looks, for who asks later what an earlier state would bring.
    private func takeSnapshot() {
        let text = scene.ignoresSnapshots ? nil : scene.delegate.snapshot(of: scene)
        guard let text, text.utf8.count <= SceneSnapshot.mostBytes else {
            return records.snapshot = nil
        }
        if text == records.snapshot?.text { return }
        records.snapshot = SceneSnapshot(text: text, timestamp: recorder.output.stamp.microseconds)
    }

    /// Looks for changes that nothing marked (P20): among all objects, or those of a slice.
    private mutating func recheck() {
        if isFull {
            records.recheck.end()
        } else if case .slice(let size) = scope, !records.recheck.isOver {
            encode(records.recheck.takeSlice(size, below: records.root))
            while step() {}
        } else {
            return
        }
        if !isFirst { recorder.tellUnmarked() }
    }

    /// Recorded objects that are marked encode again.
    mutating func encode(_ marked: [RestorationNode]) {
        for node in marked where node.record.exists && node.belongs(to: records) {
            guard let object = node.object else { continue }
            encoding.append(Visit(object: object, node: node, encodes: true))
        }
    }

    /// Does the next thing that is to be done.
    ///
    /// - Returns: false if there is nothing.
    private mutating func step() -> Bool {
        if let visit = visits.popLast() {
            self.visit(visit)
            return true
        }
        let childChanges = records.takeChildChanges()
        if !childChanges.isEmpty {
            childChangeCount += 1
            for (change, holder) in childChanges {
                // Objects that keep adding others while they encode are listed, which has an end.
                if childChangeCount > Self.mostChildChanges {
                    records.markStructure(holder)
                } else {
                    apply(change, below: holder)
                }
            }
            visits.reverse()
            return true
        }
        let changed = records.takeStructureMarked()
        if !changed.isEmpty {
            for node in changed { relist(node) }
            return true
        }
        if nextEncoding.isEmpty {
            while let visit = encoding.popLast() { nextEncoding.append(visit) }
        }
        if let visit = nextEncoding.popLast() {
            encode(visit)
            return true
        }
        return placeCandidates() || placeContested() || removeDetached() || collectGarbage()
    }

    private mutating func relist(_ node: RestorationNode) {
        guard node.belongs(to: records), node.record.exists else { return }
        if node === records.root {
            list(node)
        } else if let object = node.object {
            visits.append(Visit(object: object, node: node, encodes: false))
        }
    }

    private mutating func visit(_ visit: consuming Visit) {
        guard isAttached(visit) else {
            if visit.node.record.exists { deferred.append(visit) }
            return
        }
        list(visit.node, visit.object)
        guard visit.encodes else { return }
        if encodesAtOnce { encode(visit) } else { encoding.append(visit) }
    }

    /// Whether an object encodes as soon as it is visited, while it is at hand, and not when the
    /// places of all are known: nothing can come to light that would change what it is.
    private var encodesAtOnce: Bool {
        isFull && !isFirst && isUndisturbed && records.unclaimed.isEmpty
    }

    private mutating func encode(_ visit: consuming Visit) {
        let node = visit.node
        guard node.marks.encodedIn != id, node.record.exists, !node.record.isUnrestored else {
            return
        }
        guard isAttached(visit) else { return deferred.append(visit) }
        node.marks.encodedIn = id
        guard recorder.encode(visit.object, node) else { return }
        setReferences(of: node, to: recorder.references)
    }

    /// Something that was not at its place is again: what lies in it goes on.
    mutating func resumeDeferred() {
        visits += deferred.reversed()
        deferred = []
    }

    /// Whether an object to visit, and everything above it, is at its place.
    private func isAttached(_ visit: borrowing Visit) -> Bool {
        // A full pass found it below something that it had found at its place.
        if isFull, isUndisturbed, visit.encodes {
            return visit.node.record.exists && !visit.node.marks.isDetached
        }
        return isAttached(visit.node)
    }

    /// Whether the object and everything above it is at its place.
    func isAttached(_ node: RestorationNode) -> Bool {
        var current = node
        while current !== records.root {
            guard current.record.exists, !current.marks.isDetached, let holder = current.holder
            else {
                return false
            }
            current = holder
        }
        return true
    }
}

/// How much a pass looks at.
package enum PassScope: Equatable {
    /// What is marked.
    case marked
    /// What is marked, and so many objects that are not, if code of the application has run since
    /// all were looked at (P20).
    case slice(Int)
    /// Every object, marked or not, and if so wished how the scene looks.
    case everything(snapshot: Bool = false)

    fileprivate var isFull: Bool { if case .everything = self { true } else { false } }
}

extension Scene {
    /// Makes one preservation pass (P14). The first one after the launch looks at everything.
    ///
    /// - Parameters:
    ///   - stamp: the pass's reserved values (P4).
    ///   - scope: how much it looks at.
    /// - Returns: what is to be written; nil if the launch has not completed (P17), if there is
    ///   nothing to look at, or if the delegate does not want to save (P1).
    package func preserve(_ stamp: PassStamp, _ scope: PassScope = .marked) -> PassOutput? {
        guard isLaunched else { return nil }
        switch scope {
        case .marked: guard needsPass else { return nil }
        case .slice: guard needsPass || !isRechecked else { return nil }
        case .everything: break
        }
        return PreservationPass.run(on: self, stamp: stamp, scope: scope)
    }

    /// Code of the application has run: it may have changed objects and not invalidated them (P20).
    package func noteCodeRan() { records.recheck.noteCodeRan() }

    /// Whether every object was looked at since code of the application ran last (P20).
    package var isRechecked: Bool { records.recheck.isOver }
}
