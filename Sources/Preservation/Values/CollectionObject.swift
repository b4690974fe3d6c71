import FoundationEssentials
import StateRestoration

/// Restorable object that represents a collection in a scene. Its children are the objects that represent the elements.
final class CollectionObject: DeclaredObject {
    let restoration = RestorationNode()
    let store: any ElementStore
    let identifierRank: Int
    /// Objects that restore elements saved under an earlier identifier of the collection.
    private var aliasObjects: [ValueObject] = []

    init(_ store: any ElementStore, identifierRank: Int) {
        self.store = store
        self.identifierRank = identifierRank
        restoration.invalidatesEveryChange = true
    }

    func forEachRestorationChild(_ body: (any StateRestoring) -> Void) {
        if identifierRank == 0 { store.forEachObject(body) } else { aliasObjects.forEach(body) }
    }

    func restorationChild(_ identifier: RestorationIdentifier) -> (any StateRestoring)? {
        if identifierRank == 0 { return store.object(restoredAs: identifier) }
        let object = store.makeAliasObject(identifier, identifierRank: identifierRank)
        aliasObjects.append(object)
        return object
    }

    /// Releases the objects that restored elements saved under an earlier identifier.
    ///
    /// - Returns: Whether any objects could not be restored. The saved state of these objects is not removed.
    func releaseRestoredObjects() -> Bool {
        aliasObjects.removeAll { !$0.restoration.record.isUnrestored }
        return !aliasObjects.isEmpty
    }

    var typeName: TypeName? { store.elementTypeName }

    var migrationCounts: [MigrationCount] { store.migrationCounts }

    func encodeRestorableState(with coder: StateEncoder) {
        if identifierRank == 0 { encodeTypeName(with: coder) }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        _ = try coder.decode(String.self, forKey: Self.typeKey)
    }

    func applicationFinishedRestoringState() {
        if identifierRank == 0 { store.removeExpiredElements(below: self) }
    }
}

/// Type-erased storage of a collection's elements.
protocol ElementStore: AnyObject {
    /// Name of the elements' type, or `nil` if the collection has been removed.
    var elementTypeName: TypeName? { get }
    /// Number of elements that the launch converted with each migration.
    var migrationCounts: [MigrationCount] { get }
    /// Calls a closure with each element's object in order, then with each object that has no element, for example
    /// because the element could not be decoded.
    func forEachObject(_ body: (any StateRestoring) -> Void)
    /// Returns the earliest deadline of an element, or `nil` if no element expires.
    func nextDeadline() -> Date?
    /// Removes the elements whose deadlines have passed.
    ///
    /// Do not call this method during an update, because it would also commit the update's changes.
    ///
    /// - Parameter collection: The object that represents the collection.
    func removeExpiredElements(below collection: CollectionObject)
    /// Returns the object that restores an element's record.
    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject
    /// Creates an object that restores an element saved under an earlier identifier of the collection.
    ///
    /// The caller must retain the object.
    func makeAliasObject(_ identifier: RestorationIdentifier, identifierRank: Int) -> ValueObject
}
