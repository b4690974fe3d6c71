import StateRestoration
import Synchronization

/// Storage for a value of a specific type.
final class TypedContent<Value: Codable & Sendable> {
    private(set) var value: Value {
        didSet { changeNumber = nextChangeNumber() }
    }
    /// Number that identifies the current state of the value, unique in this process.
    private(set) var changeNumber = nextChangeNumber()
    let typeName: TypeName? = TypeName(Value.self)
    private var migrations: ValueMigrations<Value>
    /// Rank of the identifier from which the value was restored.
    private var restoredRank = Int.max

    init(_ value: Value, migrations: [ValueMigration<Value>]) {
        self.value = value
        self.migrations = ValueMigrations(migrations)
    }

    var migrationCounts: [MigrationCount] { migrations.counts }

    func encode(with coder: StateEncoder) {
        coder.encodeIncludingNil(value, forKey: ValueObject.valueKey)
    }

    func decode(with coder: StateDecoder, identifierRank: Int) throws {
        guard identifierRank < restoredRank, let savedValue = try migrations.value(from: coder)
        else {
            return
        }
        restoredRank = identifierRank
        value = savedValue
    }

    func update<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        var changedValue = value
        let result = try body(&changedValue)
        value = changedValue
        return result
    }
}

/// Restorable object that represents a value of a specific type.
final class TypedValueObject<Value: Codable & Sendable>: ValueObject {
    let content: TypedContent<Value>

    init(_ content: TypedContent<Value>, identifierRank: Int) {
        self.content = content
        super.init(identifierRank: identifierRank)
    }

    override var typeName: TypeName? { content.typeName }

    override var migrationCounts: [MigrationCount] { content.migrationCounts }

    override func encodeValue(with coder: StateEncoder) { content.encode(with: coder) }

    override func decodeValue(with coder: StateDecoder) throws {
        try content.decode(with: coder, identifierRank: identifierRank)
    }
}

/// Returns a number that is greater than all numbers returned by earlier calls.
func nextChangeNumber() -> Int { lastChangeNumber.add(1, ordering: .relaxed).newValue }

private let lastChangeNumber = Atomic(0)
