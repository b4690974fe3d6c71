import StateRestoration

/// Restorable object that represents a collection in a scene. The objects of the elements are its children.
final class CollectionObject: StateRestoring {
    let restoration = RestorationNode()
    let store: any ElementStore
    /// Rank of the object's identifier among the identifiers of the collection. The current identifier has
    /// rank 0.
    private let rank: Int
    /// Objects that restore elements that were saved below an earlier identifier.
    private var earlier: [ValueObject] = []

    init(_ store: any ElementStore, rank: Int) {
        self.store = store
        self.rank = rank
        restoration.notifiesEveryChange = true
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if rank == 0 { store.forEachObject(body) } else { earlier.forEach(body) }
    }

    func restorationChild(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        if rank == 0 { return store.object(restoredAs: identifier) }
        let object = store.makeEarlierObject(identifier, rank: rank)
        earlier.append(object)
        return object
    }

    /// Releases the objects for earlier identifiers that were restored.
    ///
    /// - Returns: Whether unrestored objects remain, whose saved state is kept.
    func releaseRestored() -> Bool {
        earlier.removeAll { !$0.restoration.record.isUnrestored }
        return !earlier.isEmpty
    }

    func encodeRestorableState(with coder: StateEncoder) {}

    func decodeRestorableState(with coder: StateDecoder) {}
}

/// Type-erased storage for the elements of a collection.
protocol ElementStore: AnyObject {
    /// Passes the objects of all elements to a function in their order, and then the objects of elements that
    /// could not be decoded.
    func forEachObject(_ body: (any StateRestoring) -> Void)
    /// Returns the object that restores the record of an element.
    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject
    /// Creates an object that restores the record of an element below an earlier identifier of the
    /// collection. The caller must retain it.
    func makeEarlierObject(_ identifier: RestorationIdentifier, rank: Int) -> ValueObject
}
