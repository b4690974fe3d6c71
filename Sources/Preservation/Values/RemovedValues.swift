import FoundationEssentials
import StateRestoration

/// Elements of a removed collection. They are not restored.
final class RemovedElements: ElementStore {
    let elementTypeName: String? = nil
    let migrationCounts: [MigrationCount] = []

    func forEachObject(_ body: (any StateRestoring) -> Void) {}

    func nextDeadline() -> Date? { nil }

    func removeExpiredElements(below collection: CollectionObject) {}

    func object(restoredAs identifier: RestorationIdentifier) -> ValueObject {
        makeAliasObject(identifier, rank: 0)
    }

    func makeAliasObject(_ identifier: RestorationIdentifier, rank: Int) -> ValueObject {
        let object = ValueObject(rank: rank)
        object.restoration.identifier = identifier
        return object
    }
}
