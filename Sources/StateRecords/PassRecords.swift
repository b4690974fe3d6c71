import ExactText

/// Changes made by one pass over a scene.
public struct PassRecords: Sendable, Equatable {
    /// New names. Their numbers must not be in use in the archive yet.
    public var names: [(number: UInt32, text: String)] = []
    /// New and changed objects. Each object occurs at most once and is followed by its out-of-line values.
    public var objects = RecordList()
    /// Headers of objects that have moved but whose values are unchanged.
    public var placements: [ObjectHeader] = []
    /// Numbers of the objects to remove. Their descendants are removed as well.
    ///
    /// The list also contains numbers that occur in values but have no record. Removing such a number ensures that it
    /// is never assigned to another object.
    public var removals: [UInt32] = []
    /// Scene and time of the pass.
    public var end = PassEnd()
    /// Reason why an object cannot be recorded, or `nil` if all objects can be recorded.
    public private(set) var problem: String?

    /// Creates an empty pass.
    public init() {}

    /// Whether the pass contains no changes to write (P16).
    public var isEmpty: Bool {
        names.isEmpty && objects.isEmpty && placements.isEmpty && removals.isEmpty
    }

    /// Number of new and changed objects.
    public var objectCount: Int { objects.spans.count { $0.type == .object } }

    /// Adds a new or changed object, copying its bytes.
    public mutating func add(_ object: ObjectRecord) {
        if object.header.identifier.utf8.count > UInt16.max {
            problem = "the identifier of an object below object \(object.header.parent) is too long"
        } else if object.outOfLine.count > UInt16.max {
            problem = "object \(object.header.number) has too many values"
        }
        objects.append(object)
    }

    /// Returns whether two passes contain equal changes in the same order.
    public static func == (one: PassRecords, other: PassRecords) -> Bool {
        one.names.elementsEqual(other.names, by: { $0.number == $1.number && $0.text == $1.text })
            && one.objects == other.objects
            && one.placements == other.placements && one.removals == other.removals
            && one.end == other.end
    }
}
