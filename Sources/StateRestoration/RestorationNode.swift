import ExactText

/// Preservation data of one object, such as its identifier, origin, record and marks.
///
/// Every ``StateRestoring`` object creates and owns one node.
public final class RestorationNode {
    // The properties without exclusivity checks are accessed for every object of a pass. Only the library
    // accesses them, and these accesses never overlap. They come first so that they are adjacent in memory.

    /// Links to other objects and to the scene.
    @exclusivity(unchecked) var links = Links()
    /// Restoration identifier, or `nil` if the object is not preserved (I1).
    @exclusivity(unchecked) public var identifier: RestorationIdentifier? {
        didSet {
            if identifier != oldValue { (records ?? registry)?.identifierDidChange(of: self) }
        }
    }
    /// Record of the object, as maintained by the scene's launch and passes.
    @exclusivity(unchecked) package internal(set) var record = Record()
    /// Marks for the next pass, and data that earlier passes stored.
    @exclusivity(unchecked) var marks = Marks()
    /// Whether the object has a ``storyboard`` or a ``restorationClass``.
    private(set) var hasOrigin = false
    /// Number that changes whenever the objects below this object might have changed.
    private(set) var structureVersion: UInt32 = 0
    /// Whether every change to the object, or to an object below it, marks the changed object.
    ///
    /// Such objects are not checked for missed invalidations (P20).
    package var notifiesEveryChange = false
    /// Link to the object that owns the node.
    @exclusivity(unchecked) private var owner = ObjectLink()
    /// Handle through which other nodes refer to this node, or `nil` if no node refers to it.
    private var handle: NodeHandle?

    /// Properties that few objects have, or `nil` if the object has none of them.
    @exclusivity(unchecked) private var rareProperties: RareProperties?

    /// Storyboard that created the object, with the object's identifier in it (P13), or `nil` if no storyboard created
    /// it.
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
    /// The record stores the token of the class (P13).
    public var restorationClass: (any ObjectRestoration.Type)? {
        get { rareProperties?.restorationClass }
        set {
            guard newValue != restorationClass else { return }
            makeRareProperties().restorationClass = newValue
            originDidChange()
        }
    }

    /// Closure that is called once, when the object's scene becomes known.
    package var onAttached: (() -> Void)? {
        get { rareProperties?.onAttached }
        set {
            if newValue == nil, rareProperties == nil { return }
            makeRareProperties().onAttached = newValue
        }
    }

    /// Creates a node without an identifier.
    public init() {}

    deinit { handle?.node = nil }

    /// Object that owns the node, or `nil` if the object is unknown or was deallocated.
    var object: (any StateRestoring)? { owner.object }

    /// Links the node to its object.
    ///
    /// A program can return the same node for several objects. The first object is used as long as it exists.
    func link(to object: any StateRestoring) {
        if !owner.refers(to: object), owner.object == nil { owner.object = object }
    }

    /// Records of the scene that the object belongs to, or `nil` if no pass has reached the object.
    package internal(set) var records: SceneRecords? {
        get { links.home?.records }
        set {
            links.home = newValue?.home
            guard let onAttached, newValue != nil else { return }
            self.onAttached = nil
            onAttached()
        }
    }

    /// Node under which the object was last listed, which is the node of the object above it or the scene's node.
    var holder: RestorationNode? {
        get { links.holder?.node }
        set { links.holder = newValue?.makeHandle() }
    }

    /// Records of the scene in which the object is registered, or `nil` if it is not registered.
    ///
    /// Only that scene preserves the object as a registered object (P12).
    var registry: SceneRecords? {
        get { links.registry?.records }
        set { links.registry = newValue?.home }
    }

    /// Returns whether the given records are the node's ``records``.
    func belongs(to records: SceneRecords) -> Bool { links.home === records.home }

    /// Returns whether the given records are the node's ``registry``.
    func isRegistered(in records: SceneRecords) -> Bool { links.registry === records.home }

    /// Returns whether the given node is the ``holder``.
    func isBelow(_ other: RestorationNode) -> Bool {
        links.holder != nil && links.holder === other.handle
    }

    private func originDidChange() {
        hasOrigin = storyboard != nil || restorationClass != nil
        invalidate()
    }

    private func makeRareProperties() -> RareProperties {
        if let rareProperties { return rareProperties }
        let made = RareProperties()
        rareProperties = made
        return made
    }

    private func makeHandle() -> NodeHandle {
        if let handle { return handle }
        let made = NodeHandle(self)
        handle = made
        return made
    }

    /// Removes the object's references because its values are not recorded.
    func forgetReferences() {
        for other in links.references { other.links.referrerCount -= 1 }
        links.references = []
    }

    /// Resets everything except the properties that the program sets.
    func reset() {
        links = Links()
        record = Record()
        marks = Marks()
    }

    /// Marks the object, so that the next pass encodes it again (P14).
    public func invalidate() {
        guard !marks.isMarked else { return }
        guard let records else {
            // The first pass that reaches the object sees this mark.
            marks.isMarked = true
            return
        }
        if record.isUnrestored, records.isSearching { return }
        marks.isMarked = true
        records.request.marked.append(self)
    }

    /// Whether the archive retains a record that a launch could not restore, for this object or another object (R16).
    @usableFromInline var mayKeepRecords: Bool {
        guard let records else { return false }
        return record.isUnrestored || !records.unrestoredLaunches.isEmpty
            || !records.linkKeepers.isEmpty
    }

    /// Marks the list of objects directly below this object, so that the next pass checks it again (P14).
    ///
    /// Call this method when an object is added, removed or moved directly below this object, or when this object's
    /// parent changes.
    public func invalidateStructure() {
        structureVersion &+= 1
        records?.structureDidChange(of: self)
    }

    /// Marks one object directly below this object as added or removed.
    ///
    /// An added object must follow all other objects. The next pass checks only the added or removed object, no matter
    /// how many other objects there are. No other object directly below this object may have the same identifier.
    package func invalidateStructure(_ change: ChildChange) {
        structureVersion &+= 1
        records?.recordChildChange(change, below: self)
    }

    /// Change to the list of objects directly below an object.
    package enum ChildChange {
        /// An object was added after all others.
        case added(any StateRestoring)
        /// An object was removed.
        case removed(any StateRestoring)
    }

    /// Record of an object in the scene's archive, as maintained by the scene's launch and passes.
    package struct Record {
        /// Identifier in the record, including its ordinal among siblings with equal identifiers.
        package internal(set) var identifier: RestorationIdentifier?
        /// Number of the object, which it retains even while it has no record.
        package internal(set) var number = RecordNumber.none
        /// Length in bytes of the object's path, at most ``RestorationPath/maximumBytes`` (I2).
        var pathBytes: Int32 = 0
        /// Fingerprint of the recorded state.
        var fingerprint: UInt64 = 0
        /// Whether the object has a record.
        package internal(set) var exists = false
        /// Whether the archive is known to contain the record.
        var isSaved = false
        /// Whether the archive contains the number, so that no other object can receive it.
        var isNumberKnown = false
        /// Step of the launch that found the object for its record (R18), or `nil` if the launch did not find the
        /// object.
        var foundBy: FindingStep?
        /// Whether the record's state could not be restored to the object.
        ///
        /// The archive retains the record until the object changes (R16).
        package internal(set) var isUnrestored = false
        /// Whether the object is preserved as a root because another object refers to it (P7).
        var isOrphan = false
        /// Whether the object, or an object above it, was created for a restoration and no pass has reached it yet.
        var isUnlinked = false
        /// Reason why the object has no record although its holder has one, or `nil` if no reason is known.
        package internal(set) var omission: Omission?
    }

    /// Reason why an object with an identifier is omitted below a recorded object.
    package enum Omission: Sendable, Equatable {
        /// Another object has the same path (I3).
        case equalSibling
        /// The object's path is too long (I2).
        case pathTooLong
    }

    /// Scene and objects that an object is linked to.
    struct Links {
        /// Storage of ``RestorationNode/records``.
        fileprivate(set) var home: SceneHome?
        /// Storage of ``RestorationNode/holder``.
        fileprivate var holder: NodeHandle?
        /// Recorded objects directly below this object.
        ///
        /// An object in the list that has another holder was moved or removed after it was listed.
        var children: [RestorationNode] = []
        /// Objects directly below this object that have identifiers but no records.
        var leftOut: [RestorationNode] = []
        /// Objects that the recorded values refer to.
        var references: [RestorationNode] = []
        /// Number of references to this object in the recorded values of other objects.
        var referrerCount: Int32 = 0
        /// Number of ``children`` that were moved or removed after they were listed.
        var departedCount: Int32 = 0
        /// Whether the object is a view, so that the objects below it are listed under its holder (P11).
        var isLookedThrough = false
        /// Whether objects of several scenes refer to the object or hold it, or did so before.
        var isShared = false
        /// Storage of ``RestorationNode/registry``.
        fileprivate var registry: SceneHome?
    }

    /// Data that passes store in a node for their own use.
    struct Marks {
        /// Pass that encodes the object because it was marked, or because its earlier record is no longer retained.
        var markedIn: UInt64 = 0
        /// Pass that last listed the objects below this object.
        var listedIn: UInt64 = 0
        /// Pass that last assigned a path to the object.
        var placedIn: UInt64 = 0
        /// Pass that last encoded the object.
        var encodedIn: UInt64 = 0
        /// Listing that last contained the object.
        var listing: UInt64 = 0
        /// Pass that last omitted the object because a sibling has the same path (I3).
        var leftOutIn: UInt64 = 0
        // The small properties come last, so that they share eight bytes.

        /// Whether the next pass encodes the object again.
        var isMarked = false
        /// Whether the next pass lists the objects below this object again.
        var isStructureMarked = false
        /// Whether the running pass no longer found the object at its path.
        var isDetached = false
        /// Number of times that the pass ``listedIn`` listed the objects below this object.
        var listings: UInt8 = 0
    }

    /// Storage of properties that few objects have. Most nodes belong to elements of collections.
    private final class RareProperties {
        var storyboard: StoryboardOrigin?
        var restorationClass: (any ObjectRestoration.Type)?
        var onAttached: (() -> Void)?
    }
}

/// Handle through which nodes refer to another node.
///
/// Each pass reads it once for each object. A weak reference would slow down every other reference to the
/// node. Only the node itself creates its handle, and its `deinit` clears `node` before any other part of it
/// is deallocated.
fileprivate final class NodeHandle {
    unowned(unsafe) var node: RestorationNode?

    init(_ node: RestorationNode) {
        self.node = node
    }
}

/// Storyboard that created an object, with the object's identifier in it (P13).
public struct StoryboardOrigin: Sendable, Hashable {
    /// Name of the storyboard.
    public var name: String
    /// Identifier of the object in the storyboard.
    public var identifier: String

    /// Creates an origin from the name of a storyboard and an identifier in it.
    public init(name: String, identifier: String) {
        self.name = name
        self.identifier = identifier
    }
}
