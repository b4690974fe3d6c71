import StateRecords

/// Records and marks of a scene's live objects.
package final class SceneRecords {
    /// Names of the application, shared by its scenes.
    package let names: NameTable
    /// Generator of the application's record numbers, shared by its scenes.
    package let numbering: RecordNumbering
    /// Closure that is called when the first mark is set after a pass.
    package var onMark: (() -> Void)?
    /// Closure that runs an asynchronous body for one of the scene's objects on the application's actor (S4).
    ///
    /// It returns a closure that cancels the task. The property is `nil` if the scene has ended or cannot run tasks.
    package var startTask: ((@escaping () async -> Void) -> () -> Void)?

    /// Handle through which the nodes of the scene's objects refer to these records.
    let home = SceneHome()
    /// Node of the scene, which is the holder of all roots.
    let root = RestorationNode()
    /// Most recently encoded application-level values.
    var applicationValues = EncodedValues() { didSet { recordedStamp = nil } }
    /// Stamp in the scene's record, or `nil` if the record must be written again.
    var recordedStamp: PassStamp?
    /// Snapshot of the scene from the last pass that requested a snapshot, or `nil` if there is none.
    var snapshot: SceneSnapshot? { didSet { recordedStamp = nil } }
    // The properties without exclusivity checks are read for every object of a pass. No code outside the
    // library runs during an access.

    /// Records that no live object has claimed yet (R16).
    @exclusivity(unchecked) var unclaimed = UnclaimedRecords() { didSet { recordedStamp = nil } }
    /// Number of failed launches for each record whose object has not changed since (R16).
    var unrestoredLaunches: [RecordNumber: Int] = [:] { didSet { recordedStamp = nil } }
    /// Restored objects whose records refer to records that the launch could not restore.
    ///
    /// Each object retains its record with these references until the object itself changes (R16).
    @exclusivity(unchecked) var linkKeepers: Set<RecordNumber> = []
    /// Whether this launch counts among the launches to which an unclaimed record is offered (R16).
    var isLaunchCounted = true
    /// Records that the next pass removes.
    var expired: [RecordNumber] = []
    /// Number of launches before this one that could not assign each record to an object (R16).
    var earlierLaunches: [RecordNumber: Int] = [:]
    /// Headers of objects that were created for a restoration and that no pass has reached yet.
    @exclusivity(unchecked) var unlinked: [RecordNumber: ObjectHeader] = [:]
    /// State that could not be saved when an object or the delegate last encoded it (P9).
    ///
    /// There are at most ``maximumLosses`` entries.
    @exclusivity(unchecked) package private(set) var losses: [RecordNumber: PassDiagnostic] = [:]
    private static let maximumLosses = 1000
    /// Diagnostics for objects that have an identifier but no path (I2, I3).
    ///
    /// They are keyed by the record number of the object above, and there are at most ``maximumLosses`` entries.
    @exclusivity(unchecked) private var omissions: [RecordNumber: PassDiagnostic] = [:]
    /// Unread keys of the objects that the launch restored (R18).
    private(set) var unreadKeys: [RecordNumber: [UInt32]] = [:]
    /// Number of records and bytes of values that the last full pass wrote.
    var fullPassSize = (objects: 0, bytes: 0)
    /// Maximum number of launches to which an unclaimed record is offered (R16).
    package static let maximumLaunches = 10
    /// Whether any object has referred to another object.
    package internal(set) var hasReferences = false
    /// Identifier of the running pass, or of the last pass.
    private(set) var pass: UInt64 = 0

    /// Work for the next pass. Adding work requests a pass.
    @exclusivity(unchecked) var request = PassRequest() { didSet { askForPass() } }
    /// Search for changes that were not marked (P20).
    var recheck = Recheck()
    /// Closure that returns the saved values of an object or of the scene, or `nil` if they are not known.
    ///
    /// It is called only to report changes, and when a new value cannot be saved (P9).
    package var savedValues: ((RecordNumber) -> SavedValues?)?
    /// Whether a pass is running.
    ///
    /// During a pass, marks do not request another pass. Otherwise, an object that marks itself while it encodes would
    /// cause an endless series of passes.
    var isPassing = false
    /// Whether a pass was requested since the last pass was made or refused.
    var hasAsked = false
    /// Whether the next pass must visit every object, because no pass was made since the launch.
    private(set) var needsFullPass = true
    /// Number that changes whenever the identifiers of registered objects may have changed.
    private(set) var registeredIdentifiers = 0

    package init(names: NameTable, numbering: RecordNumbering) {
        self.names = names
        self.numbering = numbering
        home.records = self
        root.records = self
        root.record.exists = true
        root.record.pathBytes = -1
    }

    deinit { home.records = nil }

    /// Number of the scene's own record, or ``RecordNumber/none`` before the first pass.
    package internal(set) var sceneNumber: RecordNumber {
        get { root.record.number }
        set { root.record.number = newValue }
    }

    /// Number of records that are not assigned to a live object yet.
    package var unclaimedCount: Int { unclaimed.count + unlinked.count }

    /// Whether the next pass has work to do.
    package var isAnythingMarked: Bool {
        needsFullPass || !request.isEmpty || !expired.isEmpty
    }

    /// Whether a search is loading views to find an object.
    ///
    /// Loading a view can modify objects. Such a modification does not count as a change to the state that is retained
    /// for an object (R16).
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
        if node.record.number == .none { node.record.number = numbering.next() }
        return node.record.number
    }

    /// Marks the list of an object's children as changed.
    ///
    /// If the object is registered, the next pass also reads its parent again.
    func structureDidChange(of node: RestorationNode) {
        node.registry?.request.areRegistrationsMarked = true
        markStructure(node)
        if node.links.isLookedThrough, let holder = node.holder {
            holder.records?.markStructure(holder)
        }
    }

    func identifierDidChange(of node: RestorationNode) {
        if let registry = node.registry {
            registry.registeredIdentifiers &+= 1
            registry.request.areRegistrationsMarked = true
        }
        if node.record.isOrphan, node.record.omission != nil {
            node.record.isOrphan = false
            node.record.omission = nil
        }
        if node.record.isOrphan || node.links.referrerCount > 0 || node.registry != nil {
            request.candidates.append(node)
        }
        if let holder = node.holder { holder.records?.markStructure(holder) }
    }

    /// Adds a single addition or removal below an object to the work for the next pass.
    func recordChildChange(_ change: RestorationNode.ChildChange, below node: RestorationNode) {
        guard !node.marks.isStructureMarked, node.belongs(to: self) else { return }
        if request.childChanges.count > Self.maximumChildChanges {
            for (_, holder) in consumeChildChanges() { markStructure(holder) }
            return markStructure(node)
        }
        request.childChanges.append((change, node))
    }

    func markStructure(_ node: RestorationNode) {
        guard !node.marks.isStructureMarked, node.belongs(to: self) else { return }
        node.marks.isStructureMarked = true
        request.structureMarked.append(node)
    }

    /// Records that a root path has become free.
    func markRootPathFree() {
        if root.links.leftOut.isEmpty { return }
        request.isRootPathFree = true
    }

    /// Stops retaining earlier records for the objects above a changed object.
    ///
    /// Otherwise, the next launch would lose the changed object together with them.
    ///
    /// - Returns: The objects that must be encoded.
    func dropUnrestoredState(above node: RestorationNode) -> [RestorationNode] {
        var released: [RestorationNode] = []
        var current = node.holder
        while let holder = current, holder !== root {
            if holder.record.isUnrestored {
                dropUnrestoredState(of: holder)
                released.append(holder)
            }
            current = holder.holder
        }
        return released
    }

    /// Stops retaining the earlier record of an object that has changed or moved, so that its new state replaces the
    /// record.
    func dropUnrestoredState(of node: RestorationNode) {
        guard node.record.isUnrestored else { return }
        node.record.isUnrestored = false
        node.marks.markedIn = pass
        unrestoredLaunches[node.record.number] = nil
    }

    // MARK: Pass

    /// Clears the marks that a launch set, because the first pass visits every object.
    ///
    /// Changes that the launch itself makes to an object do not need to be saved (R16).
    func forgetLaunchMarks() {
        if request.marked.isEmpty { return }
        for node in request.marked { node.marks.isMarked = false }
        request.marked = []
    }

    /// Begins a pass, and returns the marked objects.
    ///
    /// Objects that are marked during the pass are encoded by the next pass.
    func beginPass() -> [RestorationNode] {
        isPassing = true
        pass = numbering.nextStamp()
        var marked = request.marked
        request.marked = []
        for node in marked where node.belongs(to: self) {
            node.marks.isMarked = false
            node.marks.markedIn = pass
            if !linkKeepers.isEmpty { linkKeepers.remove(node.record.number) }
            dropUnrestoredState(of: node)
            if !unrestoredLaunches.isEmpty { marked += dropUnrestoredState(above: node) }
        }
        needsFullPass = false
        request.isApplicationStateMarked = false
        request.isReservedStateMarked = false
        return marked
    }

    /// Returns the objects whose children must be listed again, including objects that were added during the
    /// pass.
    func consumeStructureMarked() -> [RestorationNode] {
        if request.structureMarked.isEmpty { return [] }
        defer { request.structureMarked.removeAll(keepingCapacity: true) }
        for node in request.structureMarked where node.belongs(to: self) {
            node.marks.isStructureMarked = false
        }
        return request.structureMarked
    }

    /// Maximum number of stored additions and removals of single objects.
    ///
    /// If the maximum is exceeded, all children of the affected objects are listed again. This limits memory use while
    /// a delegate does not want to save.
    private static let maximumChildChanges = 1 << 16

    /// Returns the single additions and removals in order.
    func consumeChildChanges() -> [(change: RestorationNode.ChildChange, holder: RestorationNode)] {
        if request.childChanges.isEmpty { return [] }
        defer { request.childChanges = [] }
        return request.childChanges
    }

    /// Requests a pass, unless one has already been requested.
    private func askForPass() {
        guard !isPassing, !hasAsked, !request.isEmpty else { return }
        hasAsked = true
        onMark?()
    }

    /// Records that an object has been encoded, completely or with losses.
    ///
    /// - Parameter loss: The state that could not be saved, or `nil` if everything is saved.
    func recordEncoding(_ number: RecordNumber, loss: PassDiagnostic?) {
        if loss == nil, losses.isEmpty { return }
        if losses.count < Self.maximumLosses || loss == nil { losses[number] = loss }
    }

    /// Records whether every child of an object has a path.
    ///
    /// - Parameters:
    ///   - omission: The diagnostic of the first child without a path, or `nil` if every child with an identifier has a
    ///     path.
    ///   - number: The record number of the object above.
    func setOmission(_ omission: PassDiagnostic?, below number: RecordNumber) {
        if omission == nil, omissions.isEmpty { return }
        if omissions.count < Self.maximumLosses || omission == nil { omissions[number] = omission }
    }

    /// Diagnostic of an object that has an identifier but no path, or `nil` if there is no such object.
    ///
    /// If there are several such objects, it is the diagnostic below the object with the lowest record number.
    package var omission: PassDiagnostic? {
        omissions.min { $0.key.rawValue < $1.key.rawValue }?.value
    }

    // MARK: Restore

    /// Assigns a record to the object that was found for it.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint of the record.
    ///   - step: The step that found the object.
    ///   - parent: The object above the given object, or `nil` if the given object is a root.
    ///   - isUnlinked: Whether the object, or an object above it, was created for the restoration.
    func claim(
        _ object: any StateRestoring, _ header: ObjectHeader, fingerprint: UInt64,
        by step: FindingStep, below parent: RestorationNode?, isUnlinked: Bool
    ) {
        let node = object.restoration
        node.link(to: object)
        let holder = parent ?? root
        node.records = self
        node.record.number = header.recordNumber
        node.record.isNumberKnown = true
        node.marks.isMarked = false
        node.record.identifier = header.restorationIdentifier
        node.record.fingerprint = fingerprint
        node.holder = holder
        node.record.pathBytes =
            holder.record.pathBytes + 1 + Int32(header.identifier.utf8.count)
        node.record.exists = true
        node.record.isSaved = true
        node.record.foundBy = step
        node.record.isUnlinked = isUnlinked
        if isUnlinked { unlinked[node.record.number] = header }
        holder.links.children.append(node)
    }

    /// Records which saved keys of an object have not been read.
    ///
    /// The number of such objects is limited to the maximum number of entries in a report.
    func recordUnreadKeys(_ keys: [UInt32], of number: RecordNumber) {
        if keys.isEmpty || unreadKeys.count == RestorationReport.maximumEntries { return }
        unreadKeys[number] = keys
    }

    /// Retains the record of an object even if no pass reaches the object.
    ///
    /// A record that was not restored refers to this object, and a later launch might restore that record (R16).
    func retainUnlessReached(_ object: any StateRestoring, _ header: ObjectHeader) {
        object.restoration.record.isUnlinked = true
        unlinked[header.recordNumber] = header
    }

    // MARK: End

    /// Ends the scene, and resets the nodes of its objects.
    ///
    /// The objects can then be deallocated, or belong to another scene as if they were new.
    package func disband() {
        onMark = nil
        var waiting = [root] + request.nodes
        request = PassRequest()
        var own: [RestorationNode] = []
        var seen: Set<ObjectIdentifier> = []
        while let node = waiting.popLast() {
            guard node.belongs(to: self), seen.insert(ObjectIdentifier(node)).inserted else {
                continue
            }
            waiting += node.links.children + node.links.leftOut + node.links.references
            own.append(node)
        }
        // References are removed first, because they may lead to objects of another scene or to objects that
        // are reset.
        for node in own { node.forgetReferences() }
        for node in own { node.reset() }
    }

    // MARK: Saved values

    /// Returns the value of a key in an archived record, or `nil` if there is none.
    func savedValue(of key: StaticString, in number: RecordNumber) -> ArraySlice<UInt8>? {
        guard number != .none, let name = names.existingNumber(for: key) else { return nil }
        return savedValues?(number)?.value(of: name)
    }

    // MARK: Paths

    /// Returns the path of a record, or `nil` if it does not belong to a live object.
    package func path(of number: RecordNumber) -> RestorationPath? {
        if number == sceneNumber { return RestorationPath([]) }
        var waiting = [root]
        while let node = waiting.popLast() {
            for child in node.links.children where child.isBelow(node) {
                if child.record.number == number { return path(of: child) }
                waiting.append(child)
            }
        }
        return nil
    }

    /// Returns the path of a node, or its last path if it has no record.
    func path(of node: RestorationNode) -> RestorationPath {
        var components: [RestorationIdentifier] = []
        var current: RestorationNode? = node
        while let node = current, node !== root, components.count < RestorationPath.maximumBytes {
            components.append(node.record.identifier ?? node.identifier ?? "?")
            current = node.holder
        }
        return RestorationPath(components.reversed())
    }
}

/// Work for the next pass of a scene.
struct PassRequest {
    /// Objects to encode again.
    var marked: [RestorationNode] = []
    /// Objects whose children must be listed again.
    var structureMarked: [RestorationNode] = []
    /// Single additions and removals below objects, in order.
    var childChanges: [(change: RestorationNode.ChildChange, holder: RestorationNode)] = []
    /// Referenced objects that might now be preserved.
    var candidates: [RestorationNode] = []
    /// Orphans that lost references because the referring objects moved to another scene.
    var released: [RestorationNode] = []
    /// Whether the delegate must encode the application-level state again.
    var isApplicationStateMarked = true
    /// Whether the library's own values in the scene's record have changed.
    var isReservedStateMarked = false
    /// Whether objects were registered or registered objects have a new parent.
    var areRegistrationsMarked = false
    /// Whether a root path has become free, which an omitted orphan might need (I3).
    var isRootPathFree = false

    /// All objects in the request.
    var nodes: [RestorationNode] {
        marked + structureMarked + childChanges.map(\.holder) + candidates + released
    }

    /// Whether the request contains no work.
    var isEmpty: Bool {
        marked.isEmpty && structureMarked.isEmpty && childChanges.isEmpty && candidates.isEmpty
            && released.isEmpty
            && !isApplicationStateMarked && !isReservedStateMarked && !areRegistrationsMarked
            && !isRootPathFree
    }
}

/// Handle through which nodes refer to their scene's records.
///
/// Each pass compares this handle once for each object. A weak reference would slow down every other reference to the
/// records. The records clear it in their `deinit`, before any other part of them is deallocated.
final class SceneHome {
    fileprivate(set) unowned(unsafe) var records: SceneRecords?
}
