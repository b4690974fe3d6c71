import StateRecords

/// Records and marks of a scene's live objects.
package final class SceneRecords {
    /// The application's names, shared by its scenes.
    package let names: NameTable
    /// Generator of the application's record numbers, shared by its scenes.
    package let numbering: RecordNumberGenerator
    /// Closure that is called when the first work for the next pass is added.
    package var onPassNeeded: (() -> Void)?
    /// Closure that starts a task for one of the scene's objects on the application's actor (S4).
    ///
    /// The argument is the body of the task. The result is a closure that cancels the task. The property is `nil` if
    /// the scene has ended or cannot run tasks.
    package var startTask: ((@escaping () async -> Void) -> () -> Void)?

    /// Handle through which the nodes of the scene's objects refer to these records.
    let sceneHandle = SceneHandle()
    /// Node of the scene. It is the parent of all roots.
    let root = RestorationNode()
    /// Most recently encoded application-level values.
    var applicationValues = EncodedValues() { didSet { recordedPassMetadata = nil } }
    /// Pass metadata in the scene's record, without the time, or `nil` if the record must be rewritten.
    var recordedPassMetadata: PassMetadata?
    /// Snapshot from the last pass that requested one, or `nil` if there is none.
    var snapshot: SceneSnapshot?
    /// Number of each client's last operation on the scene.
    var lastOperationNumbers = LastOperationNumbers() { didSet { recordedPassMetadata = nil } }
    // The properties without exclusivity checks are read for every object of a pass. No code outside the
    // library runs during an access.

    /// Records that no live object has claimed yet (R16).
    @exclusivity(unchecked) var unclaimedRecords = UnclaimedRecords() {
        didSet { recordedPassMetadata = nil }
    }
    /// For each record that is retained until its object changes, the number of launches that failed to restore the
    /// record (R16).
    var unrestoredLaunchCounts: [RecordNumber: Int] = [:] { didSet { recordedPassMetadata = nil } }
    /// Number of objects whose records are retained until the objects change (R16).
    private var unrestoredObjectCount = 0
    /// Whether any record is retained until its object changes (R16).
    var hasUnrestoredObjects: Bool { unrestoredObjectCount > 0 }
    /// Records of restored objects with references that the launch could not resolve.
    ///
    /// Each record is retained with its references until its object changes (R16).
    @exclusivity(unchecked) var recordsWithUnresolvedReferences: Set<RecordNumber> = []
    /// Whether this launch counts toward ``maximumRestorationAttempts`` (R16).
    var isLaunchCounted = true
    /// Records that the next pass removes.
    var recordNumbersToRemove: [RecordNumber] = []
    /// For each record, the number of earlier launches that failed to assign it to an object (R16).
    var earlierFailedLaunchCounts: [RecordNumber: Int] = [:]
    /// Objects that were created during restoration and that no pass has reached yet, with their record headers.
    @exclusivity(unchecked) var recordsAwaitingFirstPass:
        [RecordNumber: (header: ObjectHeader, node: RestorationNode)] = [:]
    /// Closure that returns the numbers of the records to which the restored values refer.
    ///
    /// The property is `nil` after the first pass, and if the launch created no objects.
    var restoredReferences: (() -> Set<RecordNumber>)?
    /// Numbers of the records whose objects the launch created and linked to the object tree.
    ///
    /// The set is empty after the first pass.
    var linkedRecordNumbers: Set<RecordNumber> = []
    /// Diagnostics about state that was lost when an object or the delegate last encoded its values (P9).
    ///
    /// The keys are the record numbers of the objects. There are at most ``maximumLosses`` entries.
    @exclusivity(unchecked) package private(set) var losses: [RecordNumber: PassDiagnostic] = [:]
    /// Maximum number of diagnostics about losses, and of diagnostics about omissions.
    private static let maximumLosses = 1000
    /// Whether an object that is not in ``losses`` may have lost state since the last full pass.
    var hasUnlistedLosses = false
    /// Diagnostics for objects that have an identifier but no path (I2, I3).
    ///
    /// The keys are the record numbers of the parents. There are at most ``maximumLosses`` entries.
    @exclusivity(unchecked) private var omissions: [RecordNumber: PassDiagnostic] = [:]
    /// For each object that the launch restored, the numbers of the saved keys that were not read (R18).
    private(set) var unreadKeyNumbers: [RecordNumber: [UInt32]] = [:]
    /// Number of records that the last full pass wrote, and their size in bytes.
    var fullPassSize = (objectCount: 0, byteCount: 0)
    /// Maximum number of launches that try to restore an unclaimed record (R16).
    package static let maximumRestorationAttempts = 10
    /// Whether any object in the scene has ever referred to another object.
    package internal(set) var hasReferences = false
    /// Identifier of the running pass or, between passes, of the last pass.
    private(set) var passID: UInt64 = 0

    /// Work for the next pass. Adding work requests a pass.
    @exclusivity(unchecked) var request = PassRequest() { didSet { requestPass() } }
    /// Index of the objects that lookups have found since a pass last changed a position.
    @exclusivity(unchecked) var pathIndex = PathIndex()
    /// Scan for objects that changed without being marked (P20).
    var missedInvalidationScan = MissedInvalidationScan()
    /// Closure that returns the saved values of an object or of the scene, or `nil` if they are not known.
    ///
    /// Passes call the closure only to report changes, and when a new value cannot be saved (P9).
    package var savedValues: ((RecordNumber) -> SavedValues?)?
    /// Whether a pass is running.
    ///
    /// During a pass, marks do not request another pass. Otherwise, an object that marks itself while it encodes would
    /// cause an endless series of passes.
    var isPassRunning = false
    /// Whether a pass has been requested since the last pass ran or was refused.
    var isPassRequested = false
    /// Whether the next pass must visit every object because no pass has run since the launch.
    private(set) var needsFullPass = true
    /// Whether ``ObjectRegistrations`` must be refreshed before objects are listed.
    var areRegistrationsOutdated = false
    /// Number of nodes in ``request`` above which a refused pass compacts the request.
    private var compactionThreshold = minimumCompactionThreshold
    private static let minimumCompactionThreshold = 1024
    /// Number that changes whenever the identifiers of registered objects may have changed.
    private(set) var registeredIdentifierVersion = 0

    package init(names: NameTable, numbering: RecordNumberGenerator) {
        self.names = names
        self.numbering = numbering
        sceneHandle.records = self
        root.records = self
        root.record.exists = true
        root.record.pathByteCount = -1
    }

    deinit { sceneHandle.records = nil }

    /// Number of the scene's own record, or ``RecordNumber/none`` before the first pass.
    package internal(set) var sceneNumber: RecordNumber {
        get { root.record.number }
        set { root.record.number = newValue }
    }

    /// Number of records that have not been assigned to a live object yet.
    package var unclaimedRecordCount: Int {
        unclaimedRecords.count + recordsAwaitingFirstPass.count
    }

    /// Whether there is work for the next pass.
    package var hasPendingWork: Bool {
        needsFullPass || !request.isEmpty || !recordNumbersToRemove.isEmpty
    }

    /// Whether no change to the object tree is pending.
    var isStructureUnchanged: Bool {
        !needsFullPass && request.structureMarkedNodes.isEmpty && request.childChanges.isEmpty
            && !request.areRegistrationsMarked
    }

    /// Whether a search is loading views to find an object.
    ///
    /// Loading a view can modify objects. Such a modification does not count as a change to an object whose saved state
    /// is retained (R16).
    @exclusivity(unchecked) var isSearching = false

    // MARK: Marks

    /// Adds an object to the scene, unless it belongs to another scene.
    func adopt(_ object: any StateRestoring, _ node: RestorationNode) {
        if !node.belongs(to: self), node.records == nil { node.records = self }
        node.link(to: object)
    }

    /// Returns the number of an object's existing or future record.
    func number(of object: any StateRestoring) -> RecordNumber {
        let node = object.restoration
        adopt(object, node)
        if node.record.isAwaitingFirstPass, !node.record.exists,
            node.records?.unclaimedRecords.contains(node.record.number) == false
        {
            // Another object has claimed the record, or the record has expired.
            node.record.removeNumber()
        }
        if node.record.number == .none { node.record.number = numbering.next() }
        return node.record.number
    }

    /// Marks an object's list of children as changed.
    ///
    /// If the object is registered, the next pass also rereads its parent.
    func structureDidChange(of node: RestorationNode) {
        node.registrationRecords?.markRegistrations()
        markStructure(node)
        if node.links.isView, let parentNode = node.parentNode {
            parentNode.records?.markStructure(parentNode)
        }
    }

    func identifierDidChange(of node: RestorationNode) {
        if let registrationRecords = node.registrationRecords {
            registrationRecords.registeredIdentifierVersion &+= 1
            registrationRecords.request.areRegistrationsMarked = true
        }
        if node.record.isOrphan, node.record.omission != nil {
            node.record.isOrphan = false
            node.record.omission = nil
        }
        if node.record.isOrphan || node.links.incomingReferenceCount > 0 {
            request.orphanCandidates.append(node)
        }
        if let parentNode = node.parentNode { parentNode.records?.markStructure(parentNode) }
    }

    /// Marks the scene's registrations, because an object was registered or a registered object may have a new parent.
    func markRegistrations() {
        areRegistrationsOutdated = true
        request.areRegistrationsMarked = true
    }

    /// Requests that the next pass apply a single addition or removal below an object.
    func recordChildChange(_ change: RestorationNode.ChildChange, below node: RestorationNode) {
        guard !node.passState.isStructureMarked, node.belongs(to: self) else { return }
        if request.childChanges.count > Self.maximumChildChanges {
            for (_, parentNode) in consumeChildChanges() { markStructure(parentNode) }
            return markStructure(node)
        }
        request.childChanges.append((change, node))
    }

    func markStructure(_ node: RestorationNode) {
        guard !node.passState.isStructureMarked, node.belongs(to: self) else { return }
        node.passState.isStructureMarked = true
        request.structureMarkedNodes.append(node)
    }

    /// Records that a root path has become free, because an omitted object may need the path.
    func markRootPathFree() {
        if root.omittedChildren.isEmpty { return }
        request.isRootPathFree = true
    }

    /// Retains the record of an object until the object changes, because its state could not be restored (R16).
    func retainUnrestoredState(of node: RestorationNode) {
        if node.record.isUnrestored { return }
        node.record.isUnrestored = true
        unrestoredObjectCount += 1
    }

    /// Releases the retained records of the objects above a changed object.
    ///
    /// If these records were retained, the next launch could lose the changed object together with the objects above
    /// it.
    ///
    /// - Returns: The objects that must be encoded.
    func dropUnrestoredState(above node: RestorationNode) -> [RestorationNode] {
        var releasedNodes: [RestorationNode] = []
        var currentParent = node.parentNode
        while let parentNode = currentParent, parentNode !== root {
            if parentNode.record.isUnrestored {
                dropUnrestoredState(of: parentNode)
                releasedNodes.append(parentNode)
            }
            currentParent = parentNode.parentNode
        }
        return releasedNodes
    }

    /// Releases the retained record of an object that has changed or moved, so that the object's new state replaces the
    /// record.
    func dropUnrestoredState(of node: RestorationNode) {
        guard node.record.isUnrestored else { return }
        node.record.isUnrestored = false
        unrestoredObjectCount -= 1
        node.passState.lastMarkedPass = passID
        unrestoredLaunchCounts[node.record.number] = nil
    }

    // MARK: Pass

    /// Clears the marks that a launch set, because the first pass visits every object.
    ///
    /// Changes that the launch itself makes do not need to be saved (R16).
    func clearLaunchMarks() {
        if request.markedNodes.isEmpty { return }
        for node in request.markedNodes { node.passState.isMarked = false }
        request.markedNodes = []
    }

    /// Begins a pass, and returns the marked objects.
    ///
    /// Objects that are marked during the pass are encoded by the next pass.
    func beginPass() -> [RestorationNode] {
        isPassRunning = true
        passID = numbering.nextSequenceNumber()
        var markedNodes = request.markedNodes
        request.markedNodes = []
        for node in markedNodes where node.belongs(to: self) {
            node.passState.isMarked = false
            node.passState.lastMarkedPass = passID
            if !recordsWithUnresolvedReferences.isEmpty {
                recordsWithUnresolvedReferences.remove(node.record.number)
            }
            dropUnrestoredState(of: node)
            if hasUnrestoredObjects { markedNodes += dropUnrestoredState(above: node) }
        }
        needsFullPass = false
        request.isApplicationStateMarked = false
        request.isReservedStateMarked = false
        return markedNodes
    }

    /// Returns and clears the list of objects whose children must be relisted.
    ///
    /// The list includes objects that were marked during the pass.
    func consumeStructureMarkedNodes() -> [RestorationNode] {
        if request.structureMarkedNodes.isEmpty { return [] }
        defer { request.structureMarkedNodes.removeAll(keepingCapacity: true) }
        for node in request.structureMarkedNodes where node.belongs(to: self) {
            node.passState.isStructureMarked = false
        }
        return request.structureMarkedNodes
    }

    /// Maximum number of stored additions and removals of single objects.
    ///
    /// If the maximum is exceeded, the pass relists all children of the affected objects instead. The maximum limits
    /// memory use while a delegate refuses to save.
    private static let maximumChildChanges = 1 << 16

    /// Returns and clears the list of single additions and removals.
    func consumeChildChanges() -> [(
        change: RestorationNode.ChildChange, parentNode: RestorationNode
    )] {
        if request.childChanges.isEmpty { return [] }
        defer { request.childChanges = [] }
        return request.childChanges
    }

    /// Limits the memory of the request after the delegate has refused to save (P1).
    ///
    /// Every object that the compacted request contains exists, or was recorded by the last pass.
    func compactRequest() {
        guard request.nodeCount > compactionThreshold else { return }
        request.compact()
        compactionThreshold = max(Self.minimumCompactionThreshold, 2 * request.nodeCount)
    }

    /// Requests a pass, unless one has already been requested.
    private func requestPass() {
        guard !isPassRunning, !isPassRequested, !request.isEmpty else { return }
        isPassRequested = true
        onPassNeeded?()
    }

    /// Records that an object has been encoded, completely or with losses.
    ///
    /// - Parameter loss: The diagnostic about state that could not be saved, or `nil` if everything was saved.
    func recordEncoding(_ number: RecordNumber, loss: PassDiagnostic?) {
        if loss == nil, losses.isEmpty { return }
        if losses.count < Self.maximumLosses || loss == nil {
            losses[number] = loss
        } else {
            hasUnlistedLosses = true
        }
    }

    /// Returns whether ``losses`` contains the object with the given record.
    func isIncomplete(_ number: RecordNumber) -> Bool { !losses.isEmpty && losses[number] != nil }

    /// Records whether every child with an identifier has a path.
    ///
    /// - Parameters:
    ///   - omission: The diagnostic about the first child that has an identifier but no path, or `nil` if there is
    ///     none.
    ///   - number: The record number of the parent.
    func setOmission(_ omission: PassDiagnostic?, below number: RecordNumber) {
        if omission == nil, omissions.isEmpty { return }
        if omissions.count < Self.maximumLosses || omission == nil { omissions[number] = omission }
    }

    /// Removes the diagnostics about an object that leaves the scene.
    ///
    /// - Returns: Whether the object's last encoding had losses.
    func removeDiagnostics(of number: RecordNumber) -> Bool {
        setOmission(nil, below: number)
        defer { recordEncoding(number, loss: nil) }
        return losses[number] != nil
    }

    /// Diagnostic about an object that has an identifier but no path, or `nil` if there is no such object.
    ///
    /// If there are several such objects, this is the diagnostic for the parent with the lowest record number.
    package var omissionDiagnostic: PassDiagnostic? {
        omissions.min { $0.key.rawValue < $1.key.rawValue }?.value
    }

    // MARK: Restore

    /// Assigns a record to the object that was found for it.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint of the record.
    ///   - step: The step that found the object.
    ///   - parent: The object's parent, or `nil` if the object is a root.
    ///   - isAwaitingFirstPass: Whether the object, or an object above it, was created during restoration.
    func claim(
        _ object: any StateRestoring, _ header: ObjectHeader, fingerprint: UInt64,
        by step: FindingStep, below parent: RestorationNode?, isAwaitingFirstPass: Bool
    ) {
        let node = object.restoration
        node.link(to: object)
        let parentNode = parent ?? root
        node.records = self
        node.record.number = header.recordNumber
        node.record.isNumberReserved = true
        node.passState.isMarked = false
        node.record.identifier = header.restorationIdentifier
        node.record.fingerprint = fingerprint
        node.parentNode = parentNode
        node.record.pathByteCount =
            parentNode.record.pathByteCount + 1 + Int32(header.identifier.utf8.count)
        node.record.exists = true
        node.record.isSaved = true
        node.record.findingStep = step
        node.record.isAwaitingFirstPass = isAwaitingFirstPass
        if isAwaitingFirstPass { recordsAwaitingFirstPass[node.record.number] = (header, node) }
        parentNode.links.children.append(node)
    }

    /// Records which saved keys of an object have not been read.
    ///
    /// Keys are recorded for at most ``RestorationReport/maximumEntries`` objects.
    func recordUnreadKeyNumbers(_ keys: [UInt32], of number: RecordNumber) {
        if keys.isEmpty || unreadKeyNumbers.count == RestorationReport.maximumEntries { return }
        unreadKeyNumbers[number] = keys
    }

    /// Records that a pass has reached an object.
    func didReach(_ node: RestorationNode) {
        guard node.record.isAwaitingFirstPass else { return }
        node.record.isAwaitingFirstPass = false
        recordsAwaitingFirstPass[node.record.number] = nil
    }

    /// Ensures that the record of an object is retained even if no pass reaches the object.
    ///
    /// The record is needed if an unrestored record refers to the object, because a later launch might restore that
    /// record (R16).
    func retainUnlessReached(_ object: any StateRestoring, _ header: ObjectHeader) {
        object.restoration.record.isAwaitingFirstPass = true
        recordsAwaitingFirstPass[header.recordNumber] = (header, object.restoration)
    }

    // MARK: End

    /// Ends the scene, and resets the nodes of its objects.
    ///
    /// The objects can then be deallocated, or be added to another scene as if they were new.
    package func resetNodes() {
        onPassNeeded = nil
        pathIndex.removeAll()
        var pendingNodes = [root] + request.nodes
        request = PassRequest()
        var ownNodes: [RestorationNode] = []
        var visitedNodes: Set<ObjectIdentifier> = []
        while let node = pendingNodes.popLast() {
            guard node.belongs(to: self), visitedNodes.insert(ObjectIdentifier(node)).inserted
            else {
                continue
            }
            pendingNodes += node.links.children + node.omittedChildren + node.references
            ownNodes.append(node)
        }
        // References are removed first, because they may lead to objects of another scene or to objects that
        // are reset.
        for node in ownNodes { node.removeReferences() }
        for node in ownNodes { node.reset() }
    }

    // MARK: Saved values

    /// Returns the value stored under a key in an archived record, or `nil` if there is none.
    func savedValue(of key: StaticString, in number: RecordNumber) -> ArraySlice<UInt8>? {
        guard number != .none, let keyNumber = names.existingNumber(for: key) else { return nil }
        return savedValues?(number)?.value(of: keyNumber)
    }

    // MARK: Paths

    /// Returns the path of a record, or `nil` if the record does not belong to a live object.
    package func path(of number: RecordNumber) -> RestorationPath? {
        if number == sceneNumber { return RestorationPath([]) }
        var pendingNodes = [root]
        while let node = pendingNodes.popLast() {
            for child in node.links.children where child.isDirectlyBelow(node) {
                if child.record.number == number { return path(of: child) }
                pendingNodes.append(child)
            }
        }
        return nil
    }

    /// Returns the path of a node, or the node's last path if it has no record.
    func path(of node: RestorationNode) -> RestorationPath {
        var components: [RestorationIdentifier] = []
        var currentNode: RestorationNode? = node
        while let node = currentNode, node !== root, components.count < RestorationPath.maximumBytes
        {
            components.append(node.record.identifier ?? node.identifier ?? "?")
            currentNode = node.parentNode
        }
        return RestorationPath(components.reversed())
    }
}

/// Work for the next pass of a scene.
struct PassRequest {
    /// Objects to encode.
    var markedNodes: [RestorationNode] = []
    /// Objects whose children must be relisted.
    var structureMarkedNodes: [RestorationNode] = []
    /// Single additions and removals of children, in the order in which they occurred.
    var childChanges: [(change: RestorationNode.ChildChange, parentNode: RestorationNode)] = []
    /// Referenced or registered objects that might now be preserved.
    var orphanCandidates: [RestorationNode] = []
    /// Orphans that may have lost references because the objects referring to them moved to another scene.
    var releasedOrphans: [RestorationNode] = []
    /// Whether the delegate must encode the application-level state.
    var isApplicationStateMarked = true
    /// Whether the library's own values in the scene's record have changed.
    var isReservedStateMarked = false
    /// Whether registrations, or the parents or identifiers of registered objects, may have changed since the last
    /// pass.
    var areRegistrationsMarked = false
    /// Whether a root path has become free. An omitted orphan might need the path (I3).
    var isRootPathFree = false

    /// All objects to which the request refers.
    var nodes: [RestorationNode] {
        markedNodes + structureMarkedNodes + childChanges.map(\.parentNode) + orphanCandidates
            + releasedOrphans
    }

    /// Number of nodes in the lists of the request, except ``childChanges``, which has its own limit.
    var nodeCount: Int {
        markedNodes.count + structureMarkedNodes.count + orphanCandidates.count
            + releasedOrphans.count
    }

    /// Removes duplicates, and objects that no longer exist and have no records.
    mutating func compact() {
        func compact(_ nodes: inout [RestorationNode]) {
            var seenNodes: Set<ObjectIdentifier> = []
            nodes = nodes.filter {
                ($0.record.exists || $0.object != nil)
                    && seenNodes.insert(ObjectIdentifier($0)).inserted
            }
        }
        compact(&markedNodes)
        compact(&structureMarkedNodes)
        compact(&orphanCandidates)
        compact(&releasedOrphans)
    }

    /// Whether the request contains no work.
    var isEmpty: Bool {
        markedNodes.isEmpty && structureMarkedNodes.isEmpty && childChanges.isEmpty
            && orphanCandidates.isEmpty
            && releasedOrphans.isEmpty
            && !isApplicationStateMarked && !isReservedStateMarked && !areRegistrationsMarked
            && !isRootPathFree
    }
}

/// Handle through which nodes refer to their scene's records.
///
/// Each pass compares handles once for each object. A weak reference to the records would slow down every other
/// reference to them. The `deinit` of `SceneRecords` clears ``records`` before its properties are deinitialized.
final class SceneHandle {
    fileprivate(set) unowned(unsafe) var records: SceneRecords?
}
