/// An object's place in preservation: its identifier, where it came from, its record and its marks.
///
/// Every ``StateRestoring`` object owns one, made with the object.
public final class RestorationNode {
    /// The name under which the object takes part; nil: it does not (I1).
    public var identifier: RestorationIdentifier? {
        didSet {
            if identifier != oldValue { invalidateStructure() }
        }
    }

    /// The storyboard that made the object, and its identifier there (P13).
    public var storyboard: StoryboardOrigin?

    /// Finds or makes the object when it is restored (R3, R7); recorded by its token (P13).
    public var restorationClass: (any ObjectRestoration.Type)? {
        didSet { invalidate() }
    }

    /// The bookkeeping of the scene that recorded the object.
    package internal(set) weak var records: SceneRecords?
    /// The object's record; none before the first pass that reaches it.
    package internal(set) var number = RecordNumber.none
    /// The record above it: another object's, or the scene's.
    package internal(set) var parentNumber = RecordNumber.none
    /// The identifier in the record, with its ordinal among equal siblings.
    package internal(set) var recordedIdentifier: RestorationIdentifier?
    /// The bytes of the path up to here, to keep it within bounds (I2).
    var pathBytes = 0
    /// The full pass that reached the object last.
    var epoch: UInt64 = 0
    /// The full pass that left the object out last, although it has an identifier (I2, I3).
    var leftOutEpoch: UInt64 = 0
    /// Whether the object, or one above it, was made for a restore and no pass has reached it yet.
    var isUnlinked = false
    /// Whether the next pass encodes the object again.
    var isMarked = false
    /// Tells one encoded state of the object from another.
    var fingerprint = 0
    weak var object: (any StateRestoring)?
    /// Tells whether what is below the object may be other than it was.
    private(set) var structureVersion: UInt32 = 0

    /// The number it had last. References to an object that is left out keep it, so that what refers
    /// to it does not change from pass to pass (P16).
    var lastNumber = RecordNumber.none

    /// The object has no record any more.
    func forgetRecord() {
        if number != .none { lastNumber = number }
        number = .none
        parentNumber = .none
        recordedIdentifier = nil
        fingerprint = 0
    }

    /// A node without an identifier.
    public init() {}

    /// Marks the object: the next pass encodes it again (P14).
    public func invalidate() {
        guard !isMarked, let records else { return }
        isMarked = true
        records.mark(self)
    }

    /// The object, or what is below it, came, went, moved or changed its identifier: the next pass
    /// looks at the tree again (P14).
    public func invalidateStructure() {
        structureVersion &+= 1
        records?.markStructure()
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
