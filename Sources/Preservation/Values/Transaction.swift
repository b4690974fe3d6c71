public import StateRestoration

/// Value or collection that a transaction can change (see ``Application/update(_:by:)``).
///
/// ``RestorableValue`` and ``RestorableCollection`` conform to this protocol. Programs must not add other conformances.
public protocol TransactionParticipant: Sendable {
    /// Type through which the transaction accesses the participant.
    associatedtype Access
    /// Type for read-only access to the participant.
    associatedtype Contents

    /// Identifier of the participant.
    var identifier: RestorationIdentifier { get }

    /// Begins a change to the participant as part of a transaction.
    ///
    /// - Parameters:
    ///   - scene: The scene that contains the participant.
    ///   - application: The application that performs the transaction.
    /// - Throws: ``RestorableValueError`` if the participant belongs to another application.
    func begin(
        in scene: Scene, of application: Application
    ) throws -> TransactionChange<Access>

    /// Returns read-only access to the participant.
    ///
    /// - Parameters:
    ///   - application: The application that reads the participant.
    ///   - scene: The scene that contains the participant.
    /// - Throws: ``RestorableValueError`` if the participant belongs to another application.
    func contents(in scene: Scene, of application: Application) throws -> Contents
}

/// Change to one participant in a transaction. It takes effect together with the changes to the other participants.
public struct TransactionChange<Access> {
    let access: Access
    /// Identifier of the participant.
    let identifier: RestorationIdentifier
    /// Closure that throws an error if the change is invalid or a changed value cannot be saved.
    let check: (TrialEncoding) throws -> Void
    /// Closure that applies the change.
    let commit: () -> Void
    /// Closure that reverts the change.
    let rollBack: () -> Void
}

/// Value of a participant during a transaction.
///
/// Properties of the value can be read and set directly, as in `stats.count += 1`.
@dynamicMemberLookup
public struct MutableValue<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    /// The value, including changes made by the transaction.
    public var value: Value {
        get { storage.value }
        nonmutating _modify { yield &storage.value }
    }

    /// The property of the value at the given key path.
    public subscript<Property>(dynamicMember path: WritableKeyPath<Value, Property>) -> Property {
        get { storage.value[keyPath: path] }
        nonmutating _modify { yield &storage.value[keyPath: path] }
    }
}

extension RestorableValue: TransactionParticipant {
    /// Begins a change to the value as part of a transaction (see ``TransactionParticipant``).
    public func begin(
        in scene: Scene, of application: Application
    ) throws -> TransactionChange<MutableValue<Value>> {
        let object = try accessor.object(in: scene, of: application)
        let content = try content(of: object)
        let access = MutableValue(content.value)
        return TransactionChange(
            access: access, identifier: identifier,
            check: { try $0.checkCanEncode(access.value, at: identifier.text) },
            commit: {
                content.update { $0 = access.value }
                object.invalidateRestorableState()
            }, rollBack: {})
    }

    /// Returns the value (see ``TransactionParticipant``).
    public func contents(in scene: Scene, of application: Application) throws -> Value {
        try content(of: accessor.object(in: scene, of: application)).value
    }
}

extension RestorableCollection: TransactionParticipant {
    /// Begins a change to the collection as part of a transaction (see ``TransactionParticipant``).
    public func begin(
        in scene: Scene, of application: Application
    ) throws -> TransactionChange<MutableElements> {
        let object = try accessor.object(in: scene, of: application)
        let table = try table(of: object)
        return TransactionChange(
            access: MutableElements(table), identifier: identifier,
            check: { try table.checkChanges(below: identifier, $0) },
            commit: { table.commit(below: object) }, rollBack: table.rollBack)
    }

    /// Returns the elements (see ``TransactionParticipant``).
    public func contents(in scene: Scene, of application: Application) throws -> Elements {
        Elements(try table(of: accessor.object(in: scene, of: application)))
    }
}

extension Application {
    /// Changes several values and collections in a transaction.
    ///
    /// Either all changes take effect and are saved together, or none do.
    ///
    /// ```swift
    /// try await application.update(jobs, stats) { jobs, stats in
    ///     jobs.remove(id: 7)
    ///     stats.finished += 1
    /// }
    /// ```
    ///
    /// All changes are saved in a single write, so that a crash or power cut cannot separate them. The method waits for
    /// the application's launch.
    ///
    /// If a changed value cannot be encoded or exceeds the limits for values, the whole transaction fails. For this
    /// check, each changed value is encoded once more than with ``RestorableValue/update(_:)``.
    ///
    /// If the task is cancelled before `body` runs, nothing changes. If the task is cancelled later, the changes are
    /// still saved, but the method does not wait for the save.
    ///
    /// - Parameters:
    ///   - participants: The values and collections to change. Each must belong to this application and can be passed
    ///     only once.
    ///   - body: A closure that changes the participants on the application's actor. It receives a ``MutableValue`` for
    ///     each value and ``RestorableCollection/MutableElements`` for each collection. If the closure throws an error,
    ///     nothing changes.
    /// - Returns: The result of `body`, and the durability level of the changes.
    /// - Throws: ``UnsavedChange`` if the changes were made in memory but could not be saved. ``RestorableValueError``
    ///   if a change is invalid, if a changed value cannot be saved, or if a participant belongs to another application
    ///   or is passed twice. ``ApplicationError`` if the application has stopped, its launch has failed, or too many
    ///   commands are waiting. `CancellationError`, or an error that `body` throws. After any error except ``UnsavedChange`` and a late
    ///   cancellation, nothing has changed.
    @discardableResult
    public nonisolated func update<each Participant: TransactionParticipant, Result: Sendable>(
        _ participants: repeat each Participant,
        by body: @escaping @Sendable (repeat (each Participant).Access) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await updateEvenIfUnsaved(repeat each participants, by: body)
            .requiringSaved(by: bundleIdentifier)
    }

    /// Changes values and collections like ``update(_:by:)``, but does not throw an error if the changes are not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of the changes. If the changes are only in memory, the
    ///   level is `notSaved` with the reason.
    /// - Throws: The errors that ``update(_:by:)`` throws, except ``UnsavedChange``.
    public nonisolated func updateEvenIfUnsaved<
        each Participant: TransactionParticipant, Result: Sendable
    >(
        _ participants: repeat each Participant,
        by body: @escaping @Sendable (repeat (each Participant).Access) throws -> Result
    ) async throws -> CommandReply<Result> {
        var identifiers: [RestorationIdentifier] = []
        for participant in repeat each participants { identifiers.append(participant.identifier) }
        if let first = identifiers.first { try await waitUntilReady(for: first) }
        let boundParticipants = (repeat each participants)
        return try await change(identifiers) { scene in
            let changes = (repeat try (each boundParticipants).begin(in: scene, of: self))
            var identifiers: Set<RestorationIdentifier> = []
            for change in repeat each changes {
                guard identifiers.insert(change.identifier).inserted else {
                    throw RestorableValueError(.usedTwice, change.identifier.text)
                }
            }
            do {
                let result = try body(repeat (each changes).access)
                let trial = TrialEncoding(limits: scene.limits)
                for change in repeat each changes { try change.check(trial) }
                for change in repeat each changes { change.commit() }
                return result
            } catch {
                for change in repeat each changes { change.rollBack() }
                throw error
            }
        }
    }

    /// Reads several values and collections at a single point in time.
    ///
    /// The changes of a transaction are visible either completely or not at all.
    ///
    /// ```swift
    /// let count = try await application.read(waiting, finished) { waiting, finished in
    ///     waiting.count + finished.count
    /// }
    /// ```
    ///
    /// The method waits for the application's launch. Unlike ``update(_:by:)``, it does not throw ``UnsavedChange``.
    ///
    /// - Parameters:
    ///   - first: A value or collection of this application.
    ///   - others: Further values and collections of this application.
    ///   - body: A closure that reads the participants on the application's actor. It receives the value of each
    ///     ``RestorableValue`` and the ``RestorableCollection/Elements`` of each collection.
    /// - Returns: The result of `body`.
    /// - Throws: ``RestorableValueError`` if a participant belongs to another application. ``ApplicationError`` if the
    ///   application has stopped or its launch has failed. `CancellationError`, or an error that `body` throws.
    public nonisolated func read<
        First: TransactionParticipant, each Other: TransactionParticipant, Result: Sendable
    >(
        _ first: First, _ others: repeat each Other,
        by body: @escaping @Sendable (First.Contents, repeat (each Other).Contents) throws -> Result
    ) async throws -> Result {
        try await waitUntilReady(for: first.identifier)
        let boundOthers = (repeat each others)
        return try await read { scene in
            try body(
                first.contents(in: scene, of: self),
                repeat (each boundOthers).contents(in: scene, of: self))
        }
    }
}
