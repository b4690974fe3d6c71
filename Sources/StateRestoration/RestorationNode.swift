import ExactText

/// An object's place in preservation: its identifier, where it came from, its record and its marks.
///
/// Every ``StateRestoring`` object owns one, made with the object.
public final class RestorationNode {
    // The structs and the identifier are read and written for every object of a pass, and by the
    // library alone: no accesses to them overlap, and they are not checked for that. They come
    // first, so that they lie together in memory.

    /// The other objects and the scene that the object has to do with.
    @exclusivity(unchecked) var links = Links()
    /// The name under which the object takes part; nil if it does not (I1).
    @exclusivity(unchecked) public var identifier: RestorationIdentifier? {
        didSet {
            if identifier != oldValue { (records ?? registry)?.noteIdentifierChange(of: self) }
        }
    }
    /// The object's record, as the scene's passes and its launch know it.
    @exclusivity(unchecked) package internal(set) var record = Record()
    /// The marks that the next pass looks at, and those that the passes before left.
    @exclusivity(unchecked) var marks = Marks()
    /// Whether the object has a ``storyboard`` or a ``restorationClass``.
    private(set) var hasOrigin = false
    /// Differs from an earlier value if the objects below this one may be other ones.
    private(set) var structureVersion: UInt32 = 0
    /// Whether neither the object nor one below it can change without being invalidated, so that nobody
    /// looks for such changes (P20).
    package var tellsEveryChange = false
    weak var object: (any StateRestoring)?
    /// Stands for this node in those that it holds; nil as long as there are none.
    private var handle: NodeHandle?

    /// The storyboard that made the object, and its identifier there (P13).
    public var storyboard: StoryboardOrigin? {
        didSet { if storyboard != oldValue { noteOrigin() } }
    }

    /// Finds or makes the object when it is restored (R3, R7); recorded by its token (P13).
    public var restorationClass: (any ObjectRestoration.Type)? {
        didSet { if restorationClass != oldValue { noteOrigin() } }
    }

    /// Called once when the object's scene becomes known.
    @exclusivity(unchecked) package var onAttached: (() -> Void)?

    /// A node without an identifier.
    public init() {}

    deinit { handle?.node = nil }

    /// The bookkeeping of the scene that the object belongs to; nil before a pass met it.
    package internal(set) var records: SceneRecords? {
        get { links.home?.records }
        set {
            links.home = newValue?.home
            guard let onAttached, newValue != nil else { return }
            self.onAttached = nil
            onAttached()
        }
    }

    /// Node that the object was listed below last: that of the object above it, or the scene's.
    var holder: RestorationNode? {
        get { links.holder?.node }
        set { links.holder = newValue?.makeHandle() }
    }

    /// The scene that it is registered with, which alone preserves it there (P12).
    var registry: SceneRecords? {
        get { links.registry?.records }
        set { links.registry = newValue?.home }
    }

    /// Whether these are the node's ``records``.
    func belongs(to records: SceneRecords) -> Bool { links.home === records.home }

    /// Whether these are the records of the node's ``registry``.
    func isRegistered(in records: SceneRecords) -> Bool { links.registry === records.home }

    /// Whether another node is the ``holder``.
    func isBelow(_ other: RestorationNode) -> Bool {
        links.holder != nil && links.holder === other.handle
    }

    private func noteOrigin() {
        hasOrigin = storyboard != nil || restorationClass != nil
        invalidate()
    }

    private func makeHandle() -> NodeHandle {
        if let handle { return handle }
        let made = NodeHandle(self)
        handle = made
        return made
    }

    /// The object's values are not recorded, and so refer to nothing.
    func forgetReferences() {
        for other in links.references { other.links.referrerCount -= 1 }
        links.references = []
    }

    /// Forgets everything but what the program gave it.
    func reset() {
        links = Links()
        record = Record()
        marks = Marks()
    }

    /// Marks the object: the next pass encodes it again (P14).
    public func invalidate() {
        guard !marks.isMarked else { return }
        guard let records else {
            // Of an object that no pass has met, the first one to meet it will know.
            marks.isMarked = true
            return
        }
        if record.isUnrestored, records.isSearching { return }
        marks.isMarked = true
        records.request.marked.append(self)
    }

    /// Whether records are kept that a launch could not restore, of this object or others (R16).
    @usableFromInline var mayKeepRecords: Bool {
        guard let records else { return false }
        return record.isUnrestored || !records.unrestoredLaunches.isEmpty
            || !records.linkKeepers.isEmpty
    }

    /// Objects directly below this one came, went, changed their order, or this one its parent: the
    /// next pass looks at them again (P14).
    public func invalidateStructure() {
        structureVersion &+= 1
        records?.noteStructureChange(of: self)
    }

    /// An object came to lie directly below this one, the last of them, or does not lie there any more:
    /// the next pass looks at it alone, whatever else lies there. No other one there has its identifier.
    package func invalidateStructure(_ change: ChildChange) {
        structureVersion &+= 1
        records?.noteChildChange(change, below: self)
    }

    /// One change of what lies directly below an object.
    package enum ChildChange {
        /// An object came, behind all others.
        case added(any StateRestoring)
        /// An object left.
        case removed(any StateRestoring)
    }

    /// An object's record in the scene's archive, as far as the scene's passes and its launch know
    /// it.
    package struct Record {
        /// The identifier in the record, with its ordinal among equal siblings.
        package internal(set) var identifier: RestorationIdentifier?
        /// The object's number, which it keeps once it has one, also while it has no record.
        package internal(set) var number = RecordNumber.none
        /// The bytes of the path up to here, to keep it within bounds (I2).
        var pathBytes: Int32 = 0
        /// Tells one recorded state of the object from another.
        var fingerprint: UInt64 = 0
        /// Whether the object has a record.
        package internal(set) var exists = false
        /// Whether the archive has the record, as far as it was told.
        var isSaved = false
        /// Whether the archive knows of the number, so that it is given to no other object.
        var isNumberKnown = false
        /// The step of the launch that found the object for the record (R18); nil: none did.
        var foundBy: FindingStep?
        /// Whether the record's state could not be restored to the object. The archive keeps it
        /// until the object changes (R16).
        package internal(set) var isUnrestored = false
        /// Whether the object is preserved as a root because something refers to it (P7).
        var isOrphan = false
        /// Whether the object, or one above it, was made for a restore and no pass has reached it
        /// yet.
        var isUnlinked = false
        /// Reason for which the object has no record although its holder has one, if it is known.
        package internal(set) var omission: Omission?
    }

    /// Reason for which an identified object is left out below a recorded one.
    package enum Omission: Sendable, Equatable {
        /// Another object has its path (I3).
        case equalSibling
        /// Its path is too long (I2).
        case pathTooLong
    }

    /// The scene and the objects that one object is linked with.
    struct Links {
        /// Stands for ``RestorationNode/records``.
        fileprivate(set) var home: SceneHome?
        /// Stands for ``RestorationNode/holder``.
        fileprivate var holder: NodeHandle?
        /// The recorded objects directly below; one that has another holder has left since.
        var children: [RestorationNode] = []
        /// Identified objects directly below that have no record.
        var leftOut: [RestorationNode] = []
        /// The objects that the recorded values refer to.
        var references: [RestorationNode] = []
        /// How often the recorded values of others refer to the object.
        var referrerCount: Int32 = 0
        /// How many of ``children`` have left since they were listed.
        var departedCount: Int32 = 0
        /// Whether the objects below this one are listed as the holder's: it is a view (P11).
        var isLookedThrough = false
        /// Whether objects of more than one scene refer or referred to the object, or held it.
        var isShared = false
        /// Stands for ``RestorationNode/registry``.
        fileprivate var registry: SceneHome?
    }

    /// What passes note of an object for themselves.
    struct Marks {
        /// Whether the next pass encodes the object again.
        var isMarked = false
        /// The pass that encodes the object because it was marked, or that puts it over what was
        /// kept at its place.
        var markedIn: UInt64 = 0
        /// Whether the next pass lists what is below it again.
        var isStructureMarked = false
        /// Whether the pass that is running found it at its place no more.
        var isDetached = false
        /// How often the pass ``listedIn`` listed what is below the object.
        var listings: UInt8 = 0
        /// The pass that last listed what is below the object.
        var listedIn: UInt64 = 0
        /// The pass that placed it last.
        var placedIn: UInt64 = 0
        /// The pass that encoded it last.
        var encodedIn: UInt64 = 0
        /// The listing that it was in last.
        var listing: UInt64 = 0
        /// The pass that left it out last because another has its path below what holds both (I3).
        var leftOutIn: UInt64 = 0
    }
}

/// Stands for a node in those that it holds, which is asked for each object of a pass.
///
/// A weak reference would slow down every other one to the node. The node alone has made this, and
/// takes itself out of it when it goes: before that nothing else of it is gone.
fileprivate final class NodeHandle {
    unowned(unsafe) var node: RestorationNode?

    init(_ node: RestorationNode) {
        self.node = node
    }
}

/// Where a storyboard made an object (P13).
public struct StoryboardOrigin: Sendable, Hashable {
    /// The storyboard's name.
    public var name: String
    /// The object's identifier in it.
    public var identifier: String

    /// An origin of these two names.
    public init(name: String, identifier: String) {
        self.name = name
        self.identifier = identifier
    }
}
