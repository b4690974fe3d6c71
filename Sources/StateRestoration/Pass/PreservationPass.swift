import ExactText
import StateRecords

/// One preservation pass over a scene.
///
/// A full pass visits all objects. Other passes visit only marked objects (P14).
///
/// The order follows P2: the delegate's `shouldSave` and `willEncode`, the window's root view controller, and every
/// reachable object. The pass runs in steps until no work remains. Each object is listed below its parent and encoded
/// once. Objects that are preserved only because of references, and objects that are no longer preserved, are handled
/// last.
struct PreservationPass: ~Copyable {
    let scene: Scene
    let records: SceneRecords
    var recorder: PassRecorder
    let isFullPass: Bool
    /// Whether a full pass also encodes objects whose records are known to contain their state.
    private let encodesUnchangedObjects: Bool
    /// Whether this is the scene's first pass since its launch.
    let isFirstPass: Bool
    private let scope: PassScope

    /// Remaining visits, in reverse order.
    var visits: [Visit] = []
    /// Objects to encode after the objects in ``nextEncodings``, in order.
    private var pendingEncodings: [Visit] = []
    /// Objects to encode first, in reverse order.
    private var nextEncodings: [Visit] = []
    /// Visits that are deferred until the objects above the visited object have returned to their positions.
    private var deferredVisits: [Visit] = []
    /// Objects that are no longer at their positions.
    var detachedNodes: [RestorationNode] = []
    /// Number of batches of added and removed children that this pass has applied.
    private var childChangeBatchCount = 0
    /// Maximum number of such batches. For later batches, the pass relists the parents' children instead.
    private static let maximumChildChangeBatches = 16
    /// Objects that were removed from parents whose children have not been relisted.
    var removedChildren: [RestorationNode] = []
    /// Whether every object is still at the position at which this pass found it.
    var arePositionsStable = true
    /// Objects that are referenced but have no position yet.
    var orphanCandidates: [RestorationNode] = []
    /// Objects whose paths were too long when the objects were listed, with the indexes of their diagnostics.
    var longPathReports: [(diagnosticIndex: Int, node: RestorationNode)] = []
    /// Objects whose children kept changing. The next pass relists the children.
    var unsettledNodes: [RestorationNode] = []
    /// Orphan candidates that are postponed to the next pass.
    var postponedNodes: [RestorationNode] = []
    /// Orphans whose path belonged to an object that may still return to it (I3).
    var contestedNodes: [RestorationNode] = []
    /// Orphans that have lost a reference.
    var releasedOrphans: [RestorationNode] = []
    /// Whether orphans have been placed since this pass last collected garbage.
    var mayHaveGarbage = true
    /// Number of garbage collections in this pass.
    var garbageCollectionCount = 0
    /// Objects that were created during restoration, keyed by the positions of their records, or `nil` if the index has
    /// not been built.
    var unreachedNodes: [RecordPosition: RestorationNode]?
    /// Numbers of the records that created objects have lost in this pass because other objects took their paths, keyed
    /// by the created objects' nodes.
    var releasedNumbers: [ObjectIdentifier: RecordNumber] = [:]
    /// Objects that have inherited the records in ``releasedNumbers``, keyed by record number.
    var inheritingNodes: [RecordNumber: RestorationNode] = [:]
    /// Headers of the records that became unclaimed in this pass.
    var retainedHeaders: [ObjectHeader] = []
    /// Numbers of the records of created objects that this pass has removed because too many launches did not link
    /// them (R16).
    var expiredNumbers: Set<RecordNumber> = []
    /// Numbers of the records to which restored values refer, or `nil` if they have not been needed yet.
    var referencedNumbers: Set<RecordNumber>?
    /// Roots keyed by identifier, or `nil` if the index must be rebuilt.
    var rootNodesByIdentifier: [RestorationIdentifier: RestorationNode]?

    /// A visit to one object.
    struct Visit {
        let object: any StateRestoring
        let node: RestorationNode
        /// Whether the visit encodes the object in addition to listing the objects below it.
        let encodes: Bool
    }

    /// Identifier of this pass.
    var id: UInt64 { records.passID }

    private init(scene: Scene, passMetadata: PassMetadata, scope: PassScope) {
        self.scene = scene
        records = scene.records
        self.scope = scope
        isFirstPass = scene.records.needsFullPass
        isFullPass = isFirstPass || scope.isFullPass
        encodesUnchangedObjects = isFirstPass || scene.records.hasUnlistedLosses
        recorder = PassRecorder(scene: scene, passMetadata: passMetadata, isFullPass: isFullPass)
    }

    /// Runs a pass.
    ///
    /// - Returns: The output to write, or `nil` if the delegate does not want to save (P1). In that case, marked
    ///   objects remain marked.
    static func run(on scene: Scene, passMetadata: PassMetadata, scope: PassScope) -> PassOutput? {
        scene.records.isPassRequested = false
        return PreservationPass(scene: scene, passMetadata: passMetadata, scope: scope).run()
    }

    private consuming func run() -> PassOutput? {
        let (scene, records) = (scene, records)
        let applicationState = recorder.beginApplicationState()
        guard
            scene.delegate.application(scene, shouldSaveApplicationState: applicationState)
        else {
            scene.finishRefusedPass()
            return nil
        }
        if records.sceneNumber == .none { records.sceneNumber = records.numbering.next() }
        let encodesApplicationState = isFullPass || records.request.isApplicationStateMarked
        let markedNodes = records.beginPass()
        defer { records.isPassRunning = false }
        scene.onStage?(.passBegin)
        prepare()
        if encodesApplicationState {
            scene.delegate.application(scene, willEncodeRestorableStateWith: applicationState)
            recorder.storeApplicationState()
            setReferences(of: records.root, to: recorder.references)
        }
        applicationState.discardRecord()
        if isFullPass { listRoots(below: records.root) } else { scheduleEncoding(of: markedNodes) }
        while performStep() {}
        scanForMissedInvalidations()
        removeOutdatedReports()
        removeReplacedRecords()
        records.restoredReferences = nil
        records.linkedRecordNumbers = []
        if scope == .everything(snapshot: true) { storeSnapshot() }
        records.request.orphanCandidates += postponedNodes
        for node in unsettledNodes { records.markStructure(node) }
        scene.onStage?(.passEncoded)
        return recorder.finish()
    }

    /// Removes the diagnostics about paths that are no longer too long (I2).
    ///
    /// A path can become shorter later in the pass, when an object above gets a new identifier or position.
    private mutating func removeOutdatedReports() {
        for (index, node) in longPathReports.reversed() where node.record.omission != .pathTooLong {
            recorder.output.diagnostics.remove(at: index)
        }
    }

    /// Collects the initial work of the pass.
    private mutating func prepare() {
        if records.request.areRegistrationsMarked || isFullPass {
            records.request.areRegistrationsMarked = false
            for parent in scene.registrations.refresh() { records.markStructure(parent) }
            for object in scene.registrations.objects {
                records.adopt(object, object.restoration)
                orphanCandidates.append(object.restoration)
            }
            records.markStructure(records.root)
        }
        let root = scene.delegate.restorationRoot?.restoration
        if root !== scene.preservedRoot {
            scene.preservedRoot = root
            records.markStructure(records.root)
        }
        orphanCandidates += records.request.orphanCandidates
        records.request.orphanCandidates = []
        releasedOrphans = records.request.releasedOrphans
        records.request.releasedOrphans = []
        recorder.output.records.removals = records.recordNumbersToRemove.map(\.rawValue)
        records.recordNumbersToRemove = []
        guard isFullPass else { return }
        records.hasUnlistedLosses = false
        _ = records.consumeStructureMarkedNodes()
        _ = records.consumeChildChanges()
        scheduleOrphanVisits()
    }

    /// Stores a snapshot of the scene. The snapshot later shows the user what the saved state would restore.
    private func storeSnapshot() {
        let snapshotText = scene.ignoresSnapshots ? nil : scene.delegate.snapshot(of: scene)
        guard let snapshotText, snapshotText.utf8.count <= SceneSnapshot.maximumBytes else {
            return records.snapshot = nil
        }
        if snapshotText == records.snapshot?.text { return }
        records.snapshot = SceneSnapshot(
            text: snapshotText, timestamp: recorder.output.passMetadata.timestampMicroseconds)
    }

    /// Searches for objects that changed without being marked, either among all objects or in a slice of them (P20).
    private mutating func scanForMissedInvalidations() {
        if isFullPass {
            records.missedInvalidationScan.end()
        } else if case .slice(let size) = scope, !records.missedInvalidationScan.isComplete {
            scheduleEncoding(
                of: records.missedInvalidationScan.nextSlice(size, below: records.root))
            while performStep() {}
        } else {
            return
        }
        if !isFirstPass { recorder.reportMissedInvalidations() }
    }

    /// Schedules the given objects for encoding, if they are recorded.
    mutating func scheduleEncoding(of nodes: [RestorationNode]) {
        for node in nodes where node.record.exists && node.belongs(to: records) {
            guard let object = node.object else { continue }
            pendingEncodings.append(Visit(object: object, node: node, encodes: true))
        }
    }

    /// Performs the next step of the pass.
    ///
    /// - Returns: `false` if no work remains.
    private mutating func performStep() -> Bool {
        if let visit = visits.popLast() {
            self.visit(visit)
            return true
        }
        let childChanges = records.consumeChildChanges()
        if !childChanges.isEmpty {
            childChangeBatchCount += 1
            for (change, parentNode) in childChanges {
                // If objects keep adding other objects while they encode, their children are listed instead, because
                // the number of listings is limited.
                if childChangeBatchCount > Self.maximumChildChangeBatches {
                    records.markStructure(parentNode)
                } else {
                    apply(change, below: parentNode)
                }
            }
            visits.reverse()
            return true
        }
        let changedNodes = records.consumeStructureMarkedNodes()
        if !changedNodes.isEmpty {
            for node in changedNodes { listAgain(node) }
            return true
        }
        if nextEncodings.isEmpty {
            while let visit = pendingEncodings.popLast() { nextEncodings.append(visit) }
        }
        if let visit = nextEncodings.popLast() {
            encode(visit)
            return true
        }
        return placeCandidates() || placeContestedNode() || removeDetachedNodes()
            || collectGarbage()
    }

    private mutating func listAgain(_ node: RestorationNode) {
        guard node.belongs(to: records), node.record.exists else { return }
        if node === records.root {
            listRoots(below: node)
        } else if let object = node.object {
            visits.append(Visit(object: object, node: node, encodes: false))
        }
    }

    private mutating func visit(_ visit: consuming Visit) {
        guard isAttached(visit) else {
            if visit.node.record.exists { deferredVisits.append(visit) }
            return
        }
        listChildren(of: visit.node, visit.object)
        guard visit.encodes else { return }
        if encodesDuringVisit { encode(visit) } else { pendingEncodings.append(visit) }
    }

    /// Whether objects are encoded as soon as they are visited, rather than after all positions are known.
    ///
    /// The value is `true` if no later step of the pass can affect the records of visited objects.
    private var encodesDuringVisit: Bool {
        isFullPass && !isFirstPass && arePositionsStable && records.unclaimedRecords.isEmpty
    }

    private mutating func encode(_ visit: consuming Visit) {
        let node = visit.node
        guard node.passState.lastEncodedPass != id, node.record.exists, !node.record.isUnrestored
        else {
            return
        }
        guard isAttached(visit) else { return deferredVisits.append(visit) }
        if isUnchanged(node) { return }
        node.passState.lastEncodedPass = id
        guard recorder.encode(visit.object, node) else { return }
        setReferences(of: node, to: recorder.references)
    }

    /// Returns whether an object's record is known to contain its state. A full pass need not encode such an object.
    ///
    /// The first pass encodes every object, because an object might encode restored state in another form. A later full
    /// pass also encodes every object if it is not known which objects lost state.
    private func isUnchanged(_ node: RestorationNode) -> Bool {
        node.invalidatesEveryChange && !encodesUnchangedObjects && node.record.isSaved
            && node.passState.lastMarkedPass != id && !records.isIncomplete(node.record.number)
    }

    /// Resumes the deferred visits, because an object may have returned to its position.
    mutating func resumeDeferredVisits() {
        visits += deferredVisits.reversed()
        deferredVisits = []
    }

    /// Returns whether the visited object and all objects above it are at their positions.
    private func isAttached(_ visit: borrowing Visit) -> Bool {
        // In a full pass, the object was found below a parent that was at its position, and no position has changed
        // since then.
        if isFullPass, arePositionsStable, visit.encodes {
            return visit.node.record.exists && !visit.node.passState.isDetached
        }
        return isAttached(visit.node)
    }

    /// Returns whether an object and all objects above it are at their positions.
    func isAttached(_ node: RestorationNode) -> Bool {
        var currentNode = node
        while currentNode !== records.root {
            guard currentNode.record.exists, !currentNode.passState.isDetached,
                let parentNode = currentNode.parentNode
            else {
                return false
            }
            currentNode = parentNode
        }
        return true
    }
}

/// Scope of a pass.
package enum PassScope: Equatable {
    /// Only marked objects.
    case marked
    /// Marked objects, and at most the given number of other objects.
    ///
    /// The other objects are checked only if application code has run since all objects were last checked (P20).
    case slice(Int)
    /// Every object, marked or not, and optionally a snapshot of the scene.
    case everything(snapshot: Bool = false)

    fileprivate var isFullPass: Bool { if case .everything = self { true } else { false } }
}

extension Scene {
    /// Runs one preservation pass (P14).
    ///
    /// The first pass after the launch visits every object.
    ///
    /// - Parameters:
    ///   - passMetadata: The reserved values of the pass (P4).
    ///   - scope: The scope of the pass.
    /// - Returns: The output to write. It is `nil` if the launch has not completed (P17), if the pass has no
    ///   work, or if the delegate does not want to save (P1).
    package func preserve(_ passMetadata: PassMetadata, _ scope: PassScope = .marked) -> PassOutput?
    {
        guard isLaunched else { return nil }
        switch scope {
        case .marked: guard needsPass else { return nil }
        case .slice: guard needsPass || !isFullyScanned else { return nil }
        case .everything: break
        }
        return PreservationPass.run(on: self, passMetadata: passMetadata, scope: scope)
    }

    /// Updates the lists of registered objects, and limits the memory of the work for the next pass.
    fileprivate func finishRefusedPass() {
        // Marks do not request another pass.
        records.isPassRunning = true
        defer { records.isPassRunning = false }
        refreshRegistrations()
        records.compactRequest()
    }

    /// Records that application code has run. The code may have changed objects without invalidating them (P20).
    package func markNeedsFullScan() { records.missedInvalidationScan.markNeedsFullScan() }

    /// Whether every object has been checked since application code last ran (P20).
    package var isFullyScanned: Bool { records.missedInvalidationScan.isComplete }
}
