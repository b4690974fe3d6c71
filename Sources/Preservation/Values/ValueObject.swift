import StateRestoration

/// Restorable object that represents a value, or an element of a collection, in a scene.
///
/// All values use this class, so that records do not depend on the names of the values' types.
final class ValueObject: StateRestoring {
    /// Key of the value in the record.
    static let key: StaticString = "value"

    let restoration = RestorationNode()
    let content: any ValueContent
    /// Rank of the object's identifier among the value's identifiers. The current identifier has rank 0.
    private let rank: Int

    init(_ content: any ValueContent, rank: Int) {
        self.content = content
        self.rank = rank
        restoration.notifiesEveryChange = true
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
        content.encode(with: coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        try content.decode(with: coder, rank: rank)
    }
}

/// Value that a ``ValueObject`` encodes and decodes.
protocol ValueContent: AnyObject {
    /// Encodes the value.
    func encode(with coder: StateEncoder)
    /// Restores the value, unless it has already been restored from an identifier with a lower rank.
    func decode(with coder: StateDecoder, rank: Int) throws
}
