/// An object's place in preservation: its identifier, where it came from, its record and its marks.
///
/// Every ``StateRestoring`` object owns one, made with the object.
public final class RestorationNode {
    // What a pass asks of every object comes first, so that it lies together in memory. What is only
    // read and written as a whole, or by the library alone, has no accesses that overlap, and is not
    // checked for them.

    /// Stands for ``records``.
    private var home: SceneHome?
    /// Stands for ``holder``.
    private var holderHandle: NodeHandle?

    /// The name under which the object takes part; nil: it does not (I1).
    @exclusivity(unchecked) public var identifier: RestorationIdentifier? {
        didSet {
            if identifier != oldValue { (records ?? registry)?.noteIdentifierChange(of: self) }
        }
    }
    /// The identifier in the record, with its ordinal among equal siblings.
    @exclusivity(unchecked) package internal(set) var recordedIdentifier: RestorationIdentifier?
    /// The object's number, which it keeps once it has one; whether it has a record is another
    /// question: ``isRecorded``.
    @exclusivity(unchecked) package internal(set) var number = RecordNumber.none
    /// The bytes of the path up to here, to keep it within bounds (I2).
    var pathBytes: Int32 = 0
    /// Whether the object has a record.
    @exclusivity(unchecked) package internal(set) var isRecorded = false
    /// Whether the archive has the record, as far as it was told.
    var isSaved = false
    /// Whether the archive knows of the number, so that it is given to no other object.
    var isNumberKnown = false
    /// Whether the archive keeps what was saved here before, and could not be given to the object,
    /// until the object changes (R16).
    @exclusivity(unchecked) package internal(set) var isHeld = false
    /// Whether the object is preserved as a root because something refers to it (P7).
    var isOrphan = false
    /// Whether it, or one above it, was made for a restore and no pass has reached it yet.
    var isUnlinked = false
    /// Whether the objects below this one are listed as the holder's: it is a view (P11).
    var isLookedThrough = false
    /// Whether the pass that is running found it at its place no more.
    var isDetached = false
    /// Whether the next pass encodes the object again.
    var isMarked = false
    /// Whether the next pass lists what is below it again.
    var isStructureMarked = false
    /// Whether the launch found the object for a record.
    var isFound = false
    /// Whether objects of more than one scene have, or had, to do with it.
    var isShared = false
    /// Whether the object has a ``storyboard`` or a ``restorationClass``.
    private(set) var hasOrigin = false
    /// How often the last pass that listed what is below it did so.
    var listings: UInt8 = 0
    /// The pass that did.
    var listedIn: UInt64 = 0
    /// The pass that placed it last.
    var placedIn: UInt64 = 0
    /// The pass that encoded it last.
    var encodedIn: UInt64 = 0
    /// Tells one recorded state of the object from another.
    var fingerprint: UInt64 = 0
    /// The recorded objects directly below. One whose ``holder`` is another has left since.
    @exclusivity(unchecked) var children: [RestorationNode] = []
    /// Identified objects directly below that have no record.
    @exclusivity(unchecked) var leftOut: [RestorationNode] = []
    /// What the object's recorded values refer to.
    @exclusivity(unchecked) var references: [RestorationNode] = []
    /// How often the recorded values of others refer to it.
    var referrerCount: Int32 = 0
    /// Tells whether what is below the object may be other than it was.
    private(set) var structureVersion: UInt32 = 0
    weak var object: (any StateRestoring)?
    /// Stands for this node in those that it holds; nil as long as there are none.
    private var handle: NodeHandle?
    /// Stands for ``registry``.
    private var registryHome: SceneHome?
    /// The listing that it was in last.
    var listing: UInt64 = 0
    /// The pass that left it out last because another has its path below what holds both (I3).
    var leftOutIn: UInt64 = 0
    /// Why the object has no record although what it lies in has one; nil: another reason, or none.
    package internal(set) var omission: Omission?

    /// The storyboard that made the object, and its identifier there (P13).
    public var storyboard: StoryboardOrigin? {
        didSet { if storyboard != oldValue { noteOrigin() } }
    }

    /// Finds or makes the object when it is restored (R3, R7); recorded by its token (P13).
    public var restorationClass: (any ObjectRestoration.Type)? {
        didSet { if restorationClass != oldValue { noteOrigin() } }
    }

    /// Called once when the object's scene becomes known.
    package var onAttached: (() -> Void)?

    /// Why an identified object is left out below a recorded one.
    package enum Omission: Sendable, Equatable {
        /// Another object has its path (I3).
        case equalSibling
        /// Its path is too long (I2).
        case pathTooLong
    }

    /// A node without an identifier.
    public init() {}

    deinit { handle?.node = nil }

    /// The bookkeeping of the scene that the object belongs to; nil before a pass met it.
    package internal(set) var records: SceneRecords? {
        get { home?.records }
        set {
            home = newValue?.home
            guard let onAttached, newValue != nil else { return }
            self.onAttached = nil
            onAttached()
        }
    }

    /// What the object was listed below last: the node of the object whose path its own continues,
    /// or the scene's.
    var holder: RestorationNode? {
        get { holderHandle?.node }
        set { holderHandle = newValue?.makeHandle() }
    }

    /// The scene that it is registered with, which alone preserves it there (P12).
    var registry: SceneRecords? {
        get { registryHome?.records }
        set { registryHome = newValue?.home }
    }

    /// Whether these are the node's ``records``.
    func belongs(to records: SceneRecords) -> Bool { home === records.home }

    /// Whether these are the records of the node's ``registry``.
    func isRegistered(in records: SceneRecords) -> Bool { registryHome === records.home }

    /// Whether another node is the ``holder``.
    func isBelow(_ other: RestorationNode) -> Bool {
        holderHandle != nil && holderHandle === other.handle
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
        for other in references { other.referrerCount -= 1 }
        references = []
    }

    /// Forgets everything but what the program gave it.
    func reset() {
        records = nil
        registry = nil
        number = .none
        holder = nil
        children = []
        leftOut = []
        referrerCount = 0
        recordedIdentifier = nil
        omission = nil
        pathBytes = 0
        fingerprint = 0
        isRecorded = false
        isSaved = false
        isNumberKnown = false
        isHeld = false
        isOrphan = false
        isUnlinked = false
        isFound = false
        isShared = false
        isMarked = false
        isStructureMarked = false
        isDetached = false
        placedIn = 0
        encodedIn = 0
        leftOutIn = 0
        listing = 0
        listedIn = 0
        listings = 0
    }

    /// Marks the object: the next pass encodes it again (P14).
    public func invalidate() {
        guard !isMarked else { return }
        guard let records else {
            // Of an object that no pass has met, the first one to meet it will know.
            isMarked = true
            return
        }
        if isHeld, records.isLooking { return }
        isMarked = true
        records.mark(self)
    }

    /// Objects directly below this one came, went, changed their order, or this one its parent: the
    /// next pass looks at them again (P14).
    public func invalidateStructure() {
        structureVersion &+= 1
        records?.noteStructureChange(of: self)
    }
}

/// Stands for a node in those that it holds, which is asked for each object of a pass.
///
/// A weak reference would slow down every other one to the node. The node alone has made this, and
/// takes itself out of it when it goes: before that nothing else of it is gone.
private final class NodeHandle {
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
