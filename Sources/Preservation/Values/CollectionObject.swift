import StateRestoration

/// The object that stands for a collection in a scene. Those of its elements lie below it.
final class CollectionObject: StateRestoring {
    let restoration = RestorationNode()
    let store: any ElementStore
    /// The place of its identifier among those of the collection; 0: the present one.
    private let rank: Int
    /// The objects that only take back what was saved below an earlier identifier.
    private var earlier: [ValueObject] = []

    init(_ store: any ElementStore, rank: Int) {
        self.store = store
        self.rank = rank
        restoration.tellsEveryChange = true
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

    /// Lets those go that were taken back.
    ///
    /// - Returns: whether there are others, whose state is kept.
    func keepUnrestored() -> Bool {
        earlier.removeAll { !$0.restoration.record.isUnrestored }
        return !earlier.isEmpty
    }

    func encodeRestorableState(with coder: StateEncoder) {}

    func decodeRestorableState(with coder: StateDecoder) {}
}

/// The elements of a collection, whatever their type.
protocol ElementStore: AnyObject {
    /// Hands over the objects of all elements, in their order, and then those of elements that could not
    /// be decoded.
    func forEachObject(_ body: (any StateRestoring) -> Void)
    /// The object for the record of an element.
    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject
    /// An object for the record of an element below an earlier identifier of the collection; the caller
    /// keeps it.
    func makeEarlierObject(_ identifier: RestorationIdentifier, rank: Int) -> ValueObject
}
