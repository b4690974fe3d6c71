import StateRestoration
import Synchronization

/// What a program said of a value that is to be saved, see
/// ``Application/value(_:default:aliases:migrations:)``.
struct ValueDeclaration: Sendable {
    let identifier: RestorationIdentifier
    /// The identifiers that it had in earlier versions of the program.
    let aliases: [RestorationIdentifier]
    /// Makes what holds the value in one launch, and returns how the object that stands for it under the
    /// identifier of a rank is made; 0: the present identifier.
    let makeHolder: @Sendable () -> (_ rank: Int) -> any StateRestoring

    /// The objects that stand for the value in a launch, which the caller keeps: the one that is saved, and
    /// those that only take back what was saved under another identifier.
    func register(
        with scene: Scene
    ) throws -> (object: any StateRestoring, aliases: [any StateRestoring]) {
        let makeObject = makeHolder()
        let objects = try ([identifier] + aliases).enumerated().map { rank, name in
            let object = makeObject(rank)
            try scene.registerObject(forStateRestoration: object, restorationIdentifier: name)
            return object
        }
        return (objects[0], Array(objects.dropFirst()))
    }
}

/// The object that stands for a value, or for an element of a collection, in a scene. Its class is one for
/// values of all types, so that what is recorded does not depend on their names.
final class ValueObject: StateRestoring {
    /// The key under which its value is saved.
    static let key: StaticString = "value"

    let restoration = RestorationNode()
    let content: any ValueContent
    /// The place of its identifier among those of the value; 0: the present one.
    private let rank: Int

    init(_ content: any ValueContent, rank: Int) {
        self.content = content
        self.rank = rank
        restoration.tellsEveryChange = true
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
        content.encode(with: coder)
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
        try content.decode(with: coder, rank: rank)
    }
}

/// What a ``ValueObject`` holds.
protocol ValueContent: AnyObject {
    /// Stores the value.
    func encode(with coder: StateEncoder)
    /// Takes the value back, unless that was done from an identifier of a lower rank, which goes before.
    func decode(with coder: StateDecoder, rank: Int) throws
}

/// A value of one type.
final class TypedContent<Value: Codable & Sendable>: ValueContent {
    private(set) var value: Value {
        didSet { change = changeCount.add(1, ordering: .relaxed).newValue }
    }
    /// Tells this state of the value from every other one in this process.
    private(set) var change = changeCount.add(1, ordering: .relaxed).newValue
    private let migrations: [ValueMigration<Value>]
    /// The rank of what was restored.
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

/// How many values were set in this process.
private let changeCount = Atomic(0)
