import ExactText

/// What one pass of a scene changed.
public struct PassRecords: Sendable, Equatable {
    /// Names that the archive does not know, whose numbers must be new in it.
    public var names: [(number: UInt32, text: String)] = []
    /// Objects that are new or changed, at most once each, each before its out-of-line values.
    public var objects = RecordList()
    /// Objects that stand elsewhere, with the values that they have.
    public var placements: [ObjectHeader] = []
    /// Objects that are gone, with everything below them; and numbers that values hold and no record
    /// has, which are given to no other object.
    public var removals: [UInt32] = []
    /// Which scene's pass it was.
    public var end = PassEnd()
    /// The reason for which an object cannot be a record; nil: all can.
    public private(set) var problem: String?

    /// A pass that changed nothing.
    public init() {}

    /// Whether there is nothing to write (P16).
    public var isEmpty: Bool {
        names.isEmpty && objects.isEmpty && placements.isEmpty && removals.isEmpty
    }

    /// How many objects are new or changed.
    public var objectCount: Int { objects.spans.count { $0.type == .object } }

    /// Adds the newest state of an object, of which the bytes are copied.
    public mutating func add(_ object: ObjectRecord) {
        if object.header.identifier.utf8.count > UInt16.max {
            problem = "an object below \(object.header.parent) has too long an identifier"
        } else if object.outOfLine.count > UInt16.max {
            problem = "object \(object.header.number) names too many values"
        }
        objects.append(object)
    }

    /// Whether both are alike.
    public static func == (one: PassRecords, other: PassRecords) -> Bool {
        one.names.elementsEqual(other.names, by: { $0.number == $1.number && $0.text == $1.text })
            && one.objects == other.objects
            && one.placements == other.placements && one.removals == other.removals
            && one.end == other.end
    }
}

/// Says of which scene a pass was, and when it was made.
public struct PassEnd: Sendable, Equatable {
    /// The scene's object number; 0 for a pass that is of no scene.
    public var scene: UInt32
    /// The time of the pass, in microseconds since 1970, UTC; only shown, never compared.
    public var timestamp: Int64

    /// Makes the stamp of one scene's pass; what is left out is 0.
    public init(scene: UInt32 = 0, timestamp: Int64 = 0) {
        self.scene = scene
        self.timestamp = timestamp
    }
}
