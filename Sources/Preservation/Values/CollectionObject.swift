import StateRestoration

/// Restorable object that represents a collection in a scene. Its children are the objects that represent the elements.
final class CollectionObject: StateRestoring {
    let restoration = RestorationNode()
    let store: any ElementStore
    /// Rank of the object's identifier among the collection's identifiers. The current identifier has rank 0.
    private let rank: Int
    /// Objects that restore elements saved below an earlier identifier of the collection.
    private var earlierObjects: [ValueObject] = []

    init(_ store: any ElementStore, rank: Int) {
        self.store = store
        self.rank = rank
        restoration.notifiesEveryChange = true
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if rank == 0 { store.forEachObject(body) } else { earlierObjects.forEach(body) }
    }

    func restorationChild(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        if rank == 0 { return store.object(restoredAs: identifier) }
        let object = store.makeEarlierObject(identifier, rank: rank)
        earlierObjects.append(object)
        return object
    }

    /// Releases objects that restored elements below an earlier identifier.
    ///
    /// - Returns: Whether some objects have not been restored. The saved state of these objects is not removed.
    func releaseRestoredObjects() -> Bool {
        earlierObjects.removeAll { !$0.restoration.record.isUnrestored }
        return !earlierObjects.isEmpty
    }

    func encodeRestorableState(with coder: StateEncoder) {}

    func decodeRestorableState(with coder: StateDecoder) {}
}

/// Type-erased storage of a collection's elements.
protocol ElementStore: AnyObject {
    /// Calls a closure with the objects of all elements in order, then with objects without elements, such as objects
    /// that could not be decoded.
    func forEachObject(_ body: (any StateRestoring) -> Void)
    /// Returns the object that restores an element's record.
    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject
    /// Creates an object that restores an element saved below an earlier identifier of the collection.
    ///
    /// The caller must retain the object.
    func makeEarlierObject(_ identifier: RestorationIdentifier, rank: Int) -> ValueObject
}
