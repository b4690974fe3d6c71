import FoundationEssentials
import StateRestoration

/// Elements of a removed collection. They are not restored.
final class RemovedElements: ElementStore {
    let elementTypeName: TypeName? = nil
    let migrationCounts: [MigrationCount] = []

    func forEachObject(_ body: (any StateRestoring) -> Void) {}

    func nextDeadline() -> Date? { nil }

    func removeExpiredElements(below collection: CollectionObject) {}

    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject {
        makeAliasObject(identifier, identifierRank: 0)
    }

    func makeAliasObject(_ identifier: RestorationIdentifier, identifierRank: Int) -> ValueObject {
        let object = ValueObject(identifierRank: identifierRank)
        object.restoration.identifier = identifier
        return object
    }
}
