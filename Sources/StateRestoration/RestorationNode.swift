import ExactText

/// The preservation data of one object, such as its identifier, its record and its marks.
///
/// Every ``StateRestoring`` object creates and owns one node.
public final class RestorationNode {
    // Exclusivity checks are disabled for properties that every pass accesses for every object. Only the library
    // accesses these properties, and the accesses never overlap. The properties come first so that they are adjacent in
    // memory.

    /// Links to other objects and to the scene.
    @exclusivity(unchecked) var links = Links()
    // The small properties share the last eight bytes of the links.

    /// Whether the object has a ``storyboard`` or a ``restorationClass``.
    private(set) var hasOrigin = false
    /// Whether all changes to the object and to the objects below it are marked.
    ///
    /// If the value is `true`, these objects are not checked for missed invalidations (P20).
    package var invalidatesEveryChange = false
    /// Number that changes whenever the list of objects below this object might have changed.
    private(set) var structureVersion: UInt32 = 0
    /// Restoration identifier, or `nil` if the object is not preserved (I1).
    @exclusivity(unchecked) public var identifier: RestorationIdentifier? {
        didSet {
            if identifier != oldValue {
                (records ?? registrationRecords)?.identifierDidChange(of: self)
            }
        }
    }
    /// The object's record in the archive.
    @exclusivity(unchecked) package internal(set) var record = Record()
    /// Marks for the next pass, and data that earlier passes have stored.
    @exclusivity(unchecked) var passState = PassState()
    /// Link to the object that owns the node.
    @exclusivity(unchecked) private var objectLink = ObjectLink()
    /// Rarely used properties, or `nil` if the object has none of them.
    @exclusivity(unchecked) private var rareProperties: RareProperties?

    /// Storyboard that created the object, with the object's identifier in the storyboard (P13), or `nil` if no
    /// storyboard created the object.
    public var storyboard: StoryboardOrigin? {
        get { rareProperties?.storyboard }
        set {
            guard newValue != storyboard else { return }
            makeRareProperties().storyboard = newValue
            originDidChange()
        }
    }

    /// Class that finds or creates the object during restoration (R3, R7), or `nil` if the object has no restoration
    /// class.
    ///
    /// The record contains the class's token (P13).
    public var restorationClass: (any ObjectRestoration.Type)? {
        get { rareProperties?.restorationClass }
        set {
            guard newValue != restorationClass else { return }
            makeRareProperties().restorationClass = newValue
            originDidChange()
        }
    }

    /// Closure that is called once, when the object is added to a scene, or `nil` if there is none.
    package var onAttached: (() -> Void)? {
        get { rareProperties?.onAttached }
        set {
            if newValue == nil, rareProperties == nil { return }
            makeRareProperties().onAttached = newValue
        }
    }

    /// Creates a node without an identifier.
    public init() {}

    deinit { rareProperties?.handle?.node = nil }

    /// Object that owns the node, or `nil` if the object is unknown or has been deallocated.
    var object: (any StateRestoring)? { objectLink.object }

    /// Links the node to its object.
    ///
    /// If a program returns the same node for several objects, the node belongs to the first object for as long as that
    /// object exists.
    func link(to object: any StateRestoring) {
        if !objectLink.refers(to: object), objectLink.object == nil { objectLink.object = object }
    }

    /// Records of the scene to which the object belongs, or `nil` if the object has not been added to a scene yet.
    package internal(set) var records: SceneRecords? {
        get { links.sceneHandle?.records }
        set {
            links.sceneHandle = newValue?.sceneHandle
            guard let onAttached, newValue != nil else { return }
            self.onAttached = nil
            onAttached()
        }
    }

    /// Node below which the object was last listed: the node of its parent, or the scene's node if the object is a
    /// root.
    var parentNode: RestorationNode? {
        get { links.parentHandle?.node }
        set { links.parentHandle = newValue?.makeHandle() }
    }

    /// Records of the scene in which the object is registered, or `nil` if it is not registered.
    ///
    /// Only that scene preserves the object as a registered object (P12).
    var registrationRecords: SceneRecords? {
        get { rareProperties?.registrationRecords?.records }
        set {
            if newValue == nil, rareProperties == nil { return }
            makeRareProperties().registrationRecords = newValue?.sceneHandle
        }
    }

    /// Objects to which the recorded values refer.
    var references: [RestorationNode] {
        get { rareProperties?.references ?? [] }
        set {
            if newValue.isEmpty, rareProperties == nil { return }
            makeRareProperties().references = newValue
        }
    }

    /// Objects directly below this object that have identifiers but no records.
    var omittedChildren: [RestorationNode] {
        get { rareProperties?.omittedChildren ?? [] }
        set {
            if newValue.isEmpty, rareProperties == nil { return }
            makeRareProperties().omittedChildren = newValue
        }
        _modify { yield &makeRareProperties().omittedChildren }
    }

    /// Last pass that omitted the object because a sibling had the same path (I3), or 0 if no pass has omitted it.
    var lastOmittedPass: UInt64 {
        get { rareProperties?.lastOmittedPass ?? 0 }
        set {
            if newValue == 0, rareProperties == nil { return }
            makeRareProperties().lastOmittedPass = newValue
        }
    }

    /// Returns whether the object belongs to the scene with the given records.
    func belongs(to records: SceneRecords) -> Bool { links.sceneHandle === records.sceneHandle }

    /// Returns whether the object is registered in the scene with the given records.
    func isRegistered(in records: SceneRecords) -> Bool {
        rareProperties?.registrationRecords === records.sceneHandle
    }

    /// Returns whether the given node is this node's ``parentNode``.
    func isDirectlyBelow(_ other: RestorationNode) -> Bool {
        links.parentHandle != nil && links.parentHandle === other.rareProperties?.handle
    }

    private func originDidChange() {
        hasOrigin = storyboard != nil || restorationClass != nil
        invalidate()
    }

    private func makeRareProperties() -> RareProperties {
        if let rareProperties { return rareProperties }
        let properties = RareProperties()
        rareProperties = properties
        return properties
    }

    private func makeHandle() -> NodeHandle {
        let properties = makeRareProperties()
        if let handle = properties.handle { return handle }
        let newHandle = NodeHandle(self)
        properties.handle = newHandle
        return newHandle
    }

    /// Removes the object's references to other objects, because the object's values are no longer recorded.
    func removeReferences() {
        for referencedNode in references { referencedNode.links.incomingReferenceCount -= 1 }
        references = []
    }

    /// Resets everything except the properties that the program has set.
    func reset() {
        links = Links()
        record = Record()
        passState = PassState()
        registrationRecords = nil
        references = []
        omittedChildren = []
        lastOmittedPass = 0
    }

    /// Marks the object, so that the next pass encodes it (P14).
    public func invalidate() {
        guard !passState.isMarked else { return }
        guard let records else {
            // The first pass that reaches the object sees this mark.
            passState.isMarked = true
            return
        }
        if record.isUnrestored, records.isSearching { return }
        passState.isMarked = true
        records.request.markedNodes.append(self)
    }

    /// Whether the archive may retain the record of any object in the scene because the launch could not fully restore
    /// the object (R16).
    @usableFromInline var mayRetainUnrestoredRecords: Bool {
        guard let records else { return false }
        return records.hasUnrestoredObjects || !records.recordsWithUnresolvedReferences.isEmpty
    }

    /// Marks this object's list of children, so that the next pass checks the list (P14).
    ///
    /// Call this method when a child is added, removed or moved, or when this object's parent changes.
    public func invalidateStructure() {
        structureVersion &+= 1
        (records ?? registrationRecords)?.structureDidChange(of: self)
    }

    /// Marks one child of this object as added or removed.
    ///
    /// The next pass then checks only this child, regardless of the number of siblings. An added child must be the last
    /// sibling, and no sibling may have the same identifier.
    package func invalidateStructure(_ change: ChildChange) {
        structureVersion &+= 1
        records?.recordChildChange(change, below: self)
    }

    /// A change to an object's list of children.
    package enum ChildChange {
        /// A child was added at the end of the list.
        case added(any StateRestoring)
        /// A child was removed from the list.
        case removed(any StateRestoring)
    }

    /// Record of an object in the archive. The scene's launch and its passes keep it up to date.
    package struct Record {
        /// Recorded identifier, including the ordinal that distinguishes siblings with equal identifiers.
        package internal(set) var identifier: RestorationIdentifier?
        /// Number of the object's record. The object keeps the number even while it has no record.
        package internal(set) var number = RecordNumber.none
        /// Length in bytes of the object's path, at most ``RestorationPath/maximumBytes`` (I2).
        var pathByteCount: Int32 = 0
        /// Fingerprint of the state in the record.
        var fingerprint: UInt64 = 0
        /// Whether the object has a record.
        package internal(set) var exists = false
        /// Whether the archive is known to contain the record.
        var isSaved = false
        /// Whether the archive contains the number, which therefore cannot be assigned to another object.
        var isNumberReserved = false
        /// Step in which the launch found the object (R18), or `nil` if the launch did not find it.
        var findingStep: FindingStep?
        /// Whether the state in the record could not be restored to the object.
        ///
        /// The archive retains the record until the object changes (R16).
        package internal(set) var isUnrestored = false
        /// Whether the object is preserved as a root because another object refers to it (P7).
        var isOrphan = false
        /// Whether no pass has reached the object since restoration created it or an object above it.
        var isAwaitingFirstPass = false
        /// Reason why the object has no record although its parent has one, or `nil` if none is known.
        package internal(set) var omission: Omission?

        /// Ensures that the object's next record gets a new number.
        mutating func removeNumber() {
            number = .none
            isNumberReserved = false
            isAwaitingFirstPass = false
        }
    }

    /// Reason why an object with an identifier is not recorded below its parent.
    package enum Omission: Sendable, Equatable {
        /// Another object has the same path (I3).
        case siblingHasSameIdentifier
        /// The object's path is too long (I2).
        case pathTooLong
    }

    /// The scene and the objects to which an object is linked.
    struct Links {
        /// Storage of ``RestorationNode/records``.
        fileprivate(set) var sceneHandle: SceneHandle?
        /// Storage of ``RestorationNode/parentNode``.
        fileprivate var parentHandle: NodeHandle?
        /// Recorded objects directly below this object.
        ///
        /// If an object in the list has a different parent, it has been moved or removed since the list was made.
        var children: [RestorationNode] = []
        /// Number of references to this object in the recorded values of other objects.
        var incomingReferenceCount: Int32 = 0
        /// Number of ``children`` that have been moved or removed since the list was made.
        var removedChildCount: Int32 = 0
        /// Whether the object is a view. The objects below a view are listed below the view's parent (P11).
        var isView = false
        /// Whether objects in more than one scene contain or refer to the object, or have done so in the past.
        var isLinkedAcrossScenes = false
    }

    /// State that each pass stores in a node. Passes and listings are identified by sequence number.
    struct PassState {
        /// Last pass that encoded the object because it was marked, came from another scene, or was assigned a saved
        /// record that does not contain its state.
        var lastMarkedPass: UInt64 = 0
        /// Last pass that listed the objects below this object.
        var lastListedPass: UInt64 = 0
        /// Last pass that assigned a path to the object.
        var lastPlacedPass: UInt64 = 0
        /// Last pass that encoded the object.
        var lastEncodedPass: UInt64 = 0
        /// Last listing that contained the object.
        var lastListingNumber: UInt64 = 0
        // The small properties come last, so that they share eight bytes.

        /// Whether the next pass must encode the object.
        var isMarked = false
        /// Whether the next pass must relist the objects below this object.
        var isStructureMarked = false
        /// Whether the running pass has found that the object is no longer at its path.
        var isDetached = false
        /// Number of times that the pass ``lastListedPass`` has listed the objects below this object.
        var listingCount: UInt8 = 0
    }

    /// Storage for properties that few objects need.
    ///
    /// Most nodes belong to elements of collections, which use none of these properties.
    private final class RareProperties {
        var storyboard: StoryboardOrigin?
        var restorationClass: (any ObjectRestoration.Type)?
        var onAttached: (() -> Void)?
        /// Handle through which other nodes refer to this node, or `nil` if no node has referred to it.
        @exclusivity(unchecked) var handle: NodeHandle?
        @exclusivity(unchecked) var registrationRecords: SceneHandle?
        @exclusivity(unchecked) var references: [RestorationNode] = []
        @exclusivity(unchecked) var omittedChildren: [RestorationNode] = []
        @exclusivity(unchecked) var lastOmittedPass: UInt64 = 0
    }
}

/// Handle through which nodes refer to another node.
///
/// Each pass reads handles once for each object. A weak reference to a node would slow down every other reference to
/// the node. Only a node itself creates its handle, and the node's `deinit` clears ``node`` before the node's
/// properties are deinitialized.
fileprivate final class NodeHandle {
    unowned(unsafe) var node: RestorationNode?

    init(_ node: RestorationNode) {
        self.node = node
    }
}
