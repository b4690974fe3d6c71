import ExactText

/// Changes made by one pass over a scene.
public struct PassRecords: Sendable, Equatable {
    /// Names that the archive does not contain yet. Their numbers must not be used in it.
    public var names: [(number: UInt32, text: String)] = []
    /// Objects that are new or changed. Each occurs at most once, before its out-of-line values.
    public var objects = RecordList()
    /// Headers of objects that have been moved but keep their values.
    public var placements: [ObjectHeader] = []
    /// Numbers of objects that are removed together with everything below them.
    ///
    /// The list also contains numbers that occur in values but have no record. They are not assigned to any
    /// other object.
    public var removals: [UInt32] = []
    /// Scene and time of the pass.
    public var end = PassEnd()
    /// Reason why an object cannot be recorded, or `nil` if all objects can be recorded.
    public private(set) var problem: String?

    /// Creates a pass without changes.
    public init() {}

    /// Whether the pass has nothing to write (P16).
    public var isEmpty: Bool {
        names.isEmpty && objects.isEmpty && placements.isEmpty && removals.isEmpty
    }

    /// Number of objects that are new or changed.
    public var objectCount: Int { objects.spans.count { $0.type == .object } }

    /// Adds the newest state of an object. Its bytes are copied.
    public mutating func add(_ object: ObjectRecord) {
        if object.header.identifier.utf8.count > UInt16.max {
            problem = "an object below \(object.header.parent) has too long an identifier"
        } else if object.outOfLine.count > UInt16.max {
            problem = "object \(object.header.number) names too many values"
        }
        objects.append(object)
    }

    /// Returns whether two passes have equal changes, in the same order.
    public static func == (one: PassRecords, other: PassRecords) -> Bool {
        one.names.elementsEqual(other.names, by: { $0.number == $1.number && $0.text == $1.text })
            && one.objects == other.objects
            && one.placements == other.placements && one.removals == other.removals
            && one.end == other.end
    }
}
