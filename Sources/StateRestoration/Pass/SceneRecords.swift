import StateRecords

/// A scene's bookkeeping: which of its live objects have records, and which are marked.
package final class SceneRecords {
    /// The application's names, shared by its scenes.
    package let names: NameTable
    /// Gives out the application's numbers, shared by its scenes.
    package let numbering: RecordNumbering
    /// Called when something is marked for the first time since the last pass.
    package var onMark: (() -> Void)?
    /// Runs an async body of one of the scene's objects on the application's actor (S4), and hands
    /// back what cancels it; nil: the scene has ended, or nobody runs it.
    package var startTask: ((@escaping () async -> Void) -> () -> Void)?

    /// Stands for these records in the nodes of the scene's objects.
    let home = SceneHome()
    /// Stands for the scene: what lies below no other object lies below this.
    let root = RestorationNode()
    /// The application-level values as they were encoded last.
    var applicationValues = EncodedValues() { didSet { recordedStamp = nil } }
    /// The stamp in the scene's record, if nothing in that has changed since.
    var recordedStamp: PassStamp?
    /// How the scene looked when every object was looked at last.
    var snapshot: SceneSnapshot? { didSet { recordedStamp = nil } }
    // The properties asked for each object of a pass are not checked for accesses that overlap: no
    // code of others runs while it is read or written.

    /// Records that no live object has claimed yet (R16).
    @exclusivity(unchecked) var unclaimed = UnclaimedRecords() { didSet { recordedStamp = nil } }
    /// How many launches could not place a record whose object has not changed since (R16).
    var unrestoredLaunches: [RecordNumber: Int] = [:] { didSet { recordedStamp = nil } }
    /// Restored objects whose records refer to some that the launch could not place. Each keeps its
    /// record, with these links, until it changes itself (R16).
    @exclusivity(unchecked) var linkKeepers: Set<RecordNumber> = []
    /// Whether the launch counts among those that an unclaimed record is offered to (R16).
    var isLaunchCounted = true
    /// Records that the next pass removes.
    var expired: [RecordNumber] = []
    /// How many launches before this one could not place a record (R16).
    var earlierLaunches: [RecordNumber: Int] = [:]
    /// The records of objects that were made for a restore, until a pass has reached them.
    @exclusivity(unchecked) var unlinked: [RecordNumber: ObjectHeader] = [:]
    /// What of objects, or of the application-level state, could not be saved when they encoded last
    /// (P9), at most ``mostLosses``.
    @exclusivity(unchecked) package private(set) var losses: [RecordNumber: PassDiagnostic] = [:]
    private static let mostLosses = 1000
    /// Diagnostics for objects that have an identifier and no path (I2, I3), keyed by the record number of the object
    /// above; at most ``mostLosses``.
    @exclusivity(unchecked) private var omissions: [RecordNumber: PassDiagnostic] = [:]
    /// The keys of which nobody read what was saved, of the objects that the launch restored (R18).
    private(set) var unreadKeys: [RecordNumber: [UInt32]] = [:]
    /// How many records the last full pass wrote, with how many bytes of values.
    var fullPassSize = (objects: 0, bytes: 0)
    /// How many launches an unclaimed record is offered to (R16).
    package static let mostLaunches = 10
    /// Whether an object has referred to another one.
    package internal(set) var hasReferences = false
    /// Tells the pass that is running, or ran last, from others.
    private(set) var pass: UInt64 = 0

    /// The work that waits for the next pass. Whatever is added to it asks for that pass.
    @exclusivity(unchecked) var request = PassRequest() { didSet { askForPass() } }
    /// The search for changes that nothing marked (P20).
    var recheck = Recheck()
    /// Gives the saved values of an object, or of the scene; nil: nobody knows them. Asked alone for
    /// what a person is told of, and where a new value cannot be saved (P9).
    package var savedValues: ((RecordNumber) -> SavedValues?)?
    /// Whether a pass runs, which asks for no other one: an object that marks itself while it
    /// encodes must not keep the application busy.
    var isPassing = false
    /// Whether a pass was asked for since the last one was made or refused.
    var hasAsked = false
    /// Whether the next pass has to look at everything: none has since the launch.
    private(set) var needsFullPass = true
    /// Differs from an earlier value if registered objects may have other identifiers.
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

    /// The record of the scene itself; none before the first pass.
    package internal(set) var sceneNumber: RecordNumber {
        get { root.record.number }
        set { root.record.number = newValue }
    }

    /// How many records no live object has taken over by now.
    package var unclaimedCount: Int { unclaimed.count + unlinked.count }

    /// Whether a pass has anything to look at.
    package var isAnythingMarked: Bool {
        needsFullPass || !request.isEmpty || !expired.isEmpty
    }

    /// Whether somebody looks for an object, for which views are loaded: what loading does to an
    /// object is no change of what is kept for it (R16).
    @exclusivity(unchecked) var isSearching = false

    // MARK: Marks

    /// The scene takes an object, whose node is given, as its own unless another scene has it.
    func adopt(_ object: any StateRestoring, _ node: RestorationNode) {
        if !node.belongs(to: self), node.records == nil { node.records = self }
        if node.object == nil { node.object = object }
    }

    /// The number under which an object is, or will be, recorded.
    func number(of object: any StateRestoring) -> RecordNumber {
        let node = object.restoration
        adopt(object, node)
        if node.record.number == .none { node.record.number = numbering.next() }
        return node.record.number
    }

    /// The objects directly below an object changed, or the parent of a registered one.
    func noteStructureChange(of node: RestorationNode) {
        node.registry?.request.areRegistrationsMarked = true
        markStructure(node)
        if node.links.isLookedThrough, let holder = node.holder {
            holder.records?.markStructure(holder)
        }
    }

    func noteIdentifierChange(of node: RestorationNode) {
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

    /// One object came to lie directly below an object, or left.
    func noteChildChange(_ change: RestorationNode.ChildChange, below node: RestorationNode) {
        guard !node.marks.isStructureMarked, node.belongs(to: self) else { return }
        if request.childChanges.count > Self.mostChildChanges {
            for (_, holder) in takeChildChanges() { markStructure(holder) }
            return markStructure(node)
        }
        request.childChanges.append((change, node))
    }

    func markStructure(_ node: RestorationNode) {
        guard !node.marks.isStructureMarked, node.belongs(to: self) else { return }
        node.marks.isStructureMarked = true
        request.structureMarked.append(node)
    }

    /// An object left its path of one component.
    func noteFreeRootPath() {
        if root.links.leftOut.isEmpty { return }
        request.isRootPathFree = true
    }

    /// Objects below ones whose unrestored state is kept would be lost with them at the next
    /// launch: they are saved too.
    ///
    /// - Returns: those that have to encode.
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

    /// An object changed, or moved: it is saved over what was kept at its place.
    func dropUnrestoredState(of node: RestorationNode) {
        guard node.record.isUnrestored else { return }
        node.record.isUnrestored = false
        node.marks.markedIn = pass
        unrestoredLaunches[node.record.number] = nil
    }

    // MARK: Pass

    /// The launch has completed, and the first pass looks at everything. A change that a launch
    /// makes to an object is none that a person would miss (R16).
    func forgetLaunchMarks() {
        if request.marked.isEmpty { return }
        for node in request.marked { node.marks.isMarked = false }
        request.marked = []
    }

    /// Begins a pass: hands over the objects that are marked. Those that are marked during the pass
    /// wait for the next one.
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

    /// The objects whose listings are out of date, also those that came to be during the pass.
    func takeStructureMarked() -> [RestorationNode] {
        if request.structureMarked.isEmpty { return [] }
        defer { request.structureMarked.removeAll(keepingCapacity: true) }
        for node in request.structureMarked where node.belongs(to: self) {
            node.marks.isStructureMarked = false
        }
        return request.structureMarked
    }

    /// So many single objects are noted; what holds them is listed as a whole if there are more, as where a
    /// delegate wants nothing saved.
    private static let mostChildChanges = 1 << 16

    /// The single objects that came or left, in their order.
    func takeChildChanges() -> [(change: RestorationNode.ChildChange, holder: RestorationNode)] {
        if request.childChanges.isEmpty { return [] }
        defer { request.childChanges = [] }
        return request.childChanges
    }

    /// Asks for a pass, once until the next one is made.
    private func askForPass() {
        guard !isPassing, !hasAsked, !request.isEmpty else { return }
        hasAsked = true
        onMark?()
    }

    /// An object has encoded itself, or could not.
    ///
    /// - Parameter loss: what of it could not be saved; nil: all is.
    func noteEncode(_ number: RecordNumber, loss: PassDiagnostic?) {
        if loss == nil, losses.isEmpty { return }
        if losses.count < Self.mostLosses || loss == nil { losses[number] = loss }
    }

    /// Records whether the children of an object were all given a path.
    ///
    /// - Parameters:
    ///   - omission: The diagnostic of the first child without a path, or `nil` if every child with an identifier has one.
    ///   - number: The record number of the object above.
    func setOmission(_ omission: PassDiagnostic?, below number: RecordNumber) {
        if omission == nil, omissions.isEmpty { return }
        if omissions.count < Self.mostLosses || omission == nil { omissions[number] = omission }
    }

    /// The diagnostic of an object that has an identifier and no path, or `nil` if there is no such object. Of several, the
    /// one below the object with the lowest record number.
    package var omission: PassDiagnostic? {
        omissions.min { $0.key.rawValue < $1.key.rawValue }?.value
    }

    // MARK: Restore

    /// An object was found for a record. When all have decoded it is to be adopted.
    ///
    /// - Parameters:
    ///   - fingerprint: tells the record from others.
    ///   - step: the step that found it.
    ///   - parent: the object whose record is the one above; nil: the scene's is.
    ///   - isUnlinked: whether it was made for the restore, or lies below one that was.
    func claim(
        _ node: RestorationNode, _ header: ObjectHeader, fingerprint: UInt64,
        by step: FindingStep, below parent: RestorationNode?, isUnlinked: Bool
    ) {
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

    /// Nobody read what was saved of an object under some keys. As many objects are noted as a
    /// report lists.
    func noteUnread(_ keys: [UInt32], of number: RecordNumber) {
        if keys.isEmpty || unreadKeys.count == RestorationReport.maximumEntries { return }
        unreadKeys[number] = keys
    }

    /// The record of an object is kept if the object is not reached: something that was not
    /// restored refers to it, and may be another time (R16).
    func keepUnlessReached(_ object: any StateRestoring, _ header: ObjectHeader) {
        object.restoration.record.isUnlinked = true
        unlinked[header.recordNumber] = header
    }

    // MARK: End

    /// The scene ends: what its objects knew of it is forgotten, so that they can go, or belong to
    /// another scene as if they were new.
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
        // References are dropped first: they may lead to another scene's objects, or to ones that
        // are reset.
        for node in own { node.forgetReferences() }
        for node in own { node.reset() }
    }

    // MARK: What is saved

    /// The value that a record holds under a key in the archive.
    func savedValue(of key: StaticString, in number: RecordNumber) -> ArraySlice<UInt8>? {
        guard number != .none, let name = names.existingNumber(for: key) else { return nil }
        return savedValues?(number)?.value(of: name)
    }

    // MARK: Paths

    /// The path of a record; nil if it is no live object's.
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

    /// The path of a node that has a record or stood somewhere last.
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

/// The work that waits for the next pass of a scene.
struct PassRequest {
    /// The objects that encode again.
    var marked: [RestorationNode] = []
    /// The objects below which the pass lists again.
    var structureMarked: [RestorationNode] = []
    /// The single objects that came to lie below one, or left, in their order.
    var childChanges: [(change: RestorationNode.ChildChange, holder: RestorationNode)] = []
    /// Objects that something refers to, and that may have come to take part.
    var candidates: [RestorationNode] = []
    /// Orphans that objects referred to until these went to another scene.
    var released: [RestorationNode] = []
    /// Whether the delegate encodes the application-level state again.
    var isApplicationStateMarked = true
    /// Whether the library's own values in the scene's record changed.
    var isReservedStateMarked = false
    /// Whether registered objects came, or have another parent.
    var areRegistrationsMarked = false
    /// Whether a path of one component has become free, which an orphan may have waited for (I3).
    var isRootPathFree = false

    /// All objects that are marked or wait.
    var nodes: [RestorationNode] {
        marked + structureMarked + childChanges.map(\.holder) + candidates + released
    }

    /// Whether the pass has nothing to look at.
    var isEmpty: Bool {
        marked.isEmpty && structureMarked.isEmpty && childChanges.isEmpty && candidates.isEmpty
            && released.isEmpty
            && !isApplicationStateMarked && !isReservedStateMarked && !areRegistrationsMarked
            && !isRootPathFree
    }
}

/// Tells a scene's objects from those of others, which is asked for each object of a pass.
///
/// A weak reference would slow down every other one to the records. These take themselves out of it
/// when they go: before that nothing else of them is gone.
final class SceneHome {
    fileprivate(set) unowned(unsafe) var records: SceneRecords?
}
