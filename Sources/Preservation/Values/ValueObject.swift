import StateRestoration
import Synchronization

/// Declaration of a value (see ``Application/value(_:default:aliases:migrations:)``).
struct ValueDeclaration: Sendable {
    let identifier: RestorationIdentifier
    /// Identifiers that the value had in earlier versions of the program.
    let aliases: [RestorationIdentifier]
    /// Closure that creates the value's storage for a launch.
    ///
    /// The closure returns a function that creates the restorable object for the identifier with a given rank. The
    /// current identifier has rank 0. The property is `nil` if the program no longer uses the value, so that the
    /// value's saved state must be removed.
    let makeObjectFactory: (@Sendable () -> (_ rank: Int) -> any StateRestoring)?

    /// Creates and registers the objects that represent the value during a launch. The caller must retain the objects.
    ///
    /// - Parameter isCollection: Whether a collection is saved under the identifier.
    /// - Returns: The object to save, or `nil` for a removed value. `aliases` contains objects that only restore state,
    ///   which was saved under an earlier identifier or belongs to a removed value.
    func register(
        with scene: Scene, isCollection: @autoclosure () -> Bool
    ) throws -> (object: (any StateRestoring)?, aliases: [any StateRestoring]) {
        guard let makeObject = makeObjectFactory?() else {
            let removed: any StateRestoring =
                isCollection()
                ? CollectionObject(RemovedElements(), rank: 1)
                : ValueObject(RemovedContent(), rank: 1)
            try scene.registerObject(
                forStateRestoration: removed, restorationIdentifier: identifier)
            return (nil, [removed])
        }
        let objects = try ([identifier] + aliases).enumerated().map { rank, name in
            let object = makeObject(rank)
            try scene.registerObject(forStateRestoration: object, restorationIdentifier: name)
            return object
        }
        return (objects[0], Array(objects.dropFirst()))
    }
}

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

/// Storage for a value of a specific type.
final class TypedContent<Value: Codable & Sendable>: ValueContent {
    private(set) var value: Value {
        didSet { changeNumber = nextChangeNumber() }
    }
    /// Number that identifies the current state of the value. It is unique in this process.
    private(set) var changeNumber = nextChangeNumber()
    private let migrations: [ValueMigration<Value>]
    /// Rank of the identifier from which the value was restored.
    private var restoredRank = Int.max

    init(_ value: Value, migrations: [ValueMigration<Value>]) {
        self.value = value
        self.migrations = migrations
    }

    func encode(with coder: StateEncoder) { coder.encode(value, forKey: ValueObject.key) }

    func decode(with coder: StateDecoder, rank: Int) throws {
        guard rank < restoredRank, let saved = try migrations.value(from: coder) else { return }
        restoredRank = rank
        value = saved
    }

    func update<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        var changed = value
        let result = try body(&changed)
        value = changed
        return result
    }
}

/// Returns a number greater than every number that this function has returned before in this process.
func nextChangeNumber() -> Int { changeCount.add(1, ordering: .relaxed).newValue }

private let changeCount = Atomic(0)
