public import FoundationEssentials
import StateRestoration

extension Application {
    /// Declares a value that is saved after every change and restored after a restart, crash or power cut.
    ///
    /// ```swift
    /// let jobs = try await application.value("jobs", default: JobState())
    /// try await jobs.update { $0.progress += 1 }
    /// ```
    ///
    /// Each change encodes the entire value. Use this method for values of up to a few kilobytes. Values must be
    /// declared before the application runs. A value belongs to the application's first configured scene.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the value. It must consist of 1 to 255 bytes and must not contain `/`. No
    ///     other value or registered object may have the same identifier.
    ///   - initial: The value to use if no value has been saved.
    ///   - aliases: Identifiers that the value had in earlier versions of the program, most recent first.
    ///   - migrations: Conversions from earlier types of the value, most recent first. If a saved value can be decoded
    ///     neither as `Value` nor by a migration, the launch fails and the archive is not changed (see
    ///     ``PreservationSettings/toleratesUnrestoredValues``).
    /// - Returns: The declared value.
    /// - Throws: ``RestorableValueError`` if the value cannot be declared.
    public func value<Value: Codable & Sendable>(
        _ identifier: String, default initial: Value, aliases: [String] = [],
        migrations: [ValueMigration<Value>] = []
    ) throws(RestorableValueError) -> RestorableValue<Value> {
        let name = try declare(identifier, aliases: aliases) {
            let content = TypedContent(initial, migrations: migrations)
            return { TypedValueObject(content, identifierRank: $0) }
        }
        return RestorableValue(DeclaredObjectAccessor(name, of: self, in: definition))
    }

    /// Declares a collection whose elements are saved individually and restored after a restart, crash or power cut.
    ///
    /// ```swift
    /// let jobs = try await application.collection("jobs", of: Job.self)
    /// try await jobs.update { $0[id: 7]?.progress += 1 }
    /// ```
    ///
    /// Changes are saved immediately. The cost and the size of a change depend on the number of changed elements, not
    /// on the size of the collection. Each element is recorded as a child of the collection. The element's identifier
    /// is its `id` converted to text. This text must be the same in every launch.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the collection. It must consist of 1 to 255 bytes and must not contain `/`. No
    ///     other value or registered object may have the same identifier.
    ///   - type: The type of the elements.
    ///   - aliases: Identifiers that the collection had in earlier versions of the program, most recent first.
    ///   - migrations: Conversions from earlier types of the elements, most recent first. If a saved element can be
    ///     decoded neither as `Element` nor by a migration, the launch fails and the archive is not changed (see
    ///     ``PreservationSettings/toleratesUnrestoredValues``).
    ///   - indexes: Properties by which elements can be found without reading all of them (see
    ///     ``RestorableCollection/first(where:equals:)``).
    ///   - deadline: A closure or key path that returns the time at which an element expires, or `nil` if the element
    ///     does not expire. It must depend only on the element. If the parameter is `nil`, no element expires.
    ///
    ///     An expired element is never returned, and is removed and saved like any other change. Elements that expire
    ///     while the application is not running are removed by the next launch. Deadlines are compared with the system
    ///     clock. If the clock is set, deadlines are compared with the new time.
    /// - Returns: The declared collection.
    /// - Throws: ``RestorableValueError`` if the collection cannot be declared.
    public func collection<Element>(
        _ identifier: String, of type: Element.Type, aliases: [String] = [],
        migrations: [ValueMigration<Element>] = [], indexes: [CollectionIndex<Element>] = [],
        expires deadline: (@Sendable (Element) -> Date?)? = nil
    ) throws(RestorableValueError) -> RestorableCollection<Element>
    where Element.ID: CustomStringConvertible & Sendable {
        let name = try declare(
            identifier, aliases: aliases, hasExpiringElements: deadline != nil
        ) {
            [now = settings.now] in
            let table = ElementTable(
                migrations: migrations, indexes: indexes,
                deadlines: deadline.map { deadline in
                    ElementDeadlines({ $0.element.flatMap(deadline) }, now: now)
                })
            return { CollectionObject(table, identifierRank: $0) }
        }
        return RestorableCollection(DeclaredObjectAccessor(name, of: self, in: definition))
    }

    /// Declares that the program no longer uses a saved value or collection.
    ///
    /// The next launch removes the value's saved state from the archive. Generations in the history retain the state.
    ///
    /// - Parameter identifier: The identifier of the saved value or collection.
    /// - Throws: ``RestorableValueError`` if the removal cannot be declared.
    public func removedValue(_ identifier: String) throws(RestorableValueError) {
        try declare(identifier, aliases: [], factory: nil)
    }

    /// Declares a value or collection.
    ///
    /// - Parameters:
    ///   - hasExpiringElements: Whether the elements of the collection can expire.
    ///   - makeObjectFactory: A closure that creates the value's storage for a launch, or `nil` for a removed value.
    ///     The closure returns a function that creates the restorable object for an identifier of the given rank.
    @discardableResult
    private func declare(
        _ identifier: String, aliases: [String], hasExpiringElements: Bool = false,
        factory makeObjectFactory: (@Sendable () -> (_ identifierRank: Int) -> any StateRestoring)?
    ) throws(RestorableValueError) -> RestorationIdentifier {
        guard case .new = phase else {
            throw RestorableValueError(.declaredTooLate, identifier)
        }
        let names = try ([identifier] + aliases).map { name throws(RestorableValueError) in
            do throws(RestorationIdentifierError) {
                return try RestorationIdentifier(validating: name)
            } catch {
                throw RestorableValueError(.invalidIdentifier, name, "\(error)")
            }
        }
        for (index, name) in names.enumerated() {
            let isTaken = launchSequence.valueDeclarations.contains {
                ([$0.identifier] + $0.aliases).contains(name)
            }
            if isTaken || names[..<index].contains(name) {
                throw RestorableValueError(.declaredTwice, name.text)
            }
        }
        launchSequence.valueDeclarations.append(
            ValueDeclaration(
                identifier: names[0], aliases: Array(names.dropFirst()),
                hasExpiringElements: hasExpiringElements,
                makeObjectFactory: makeObjectFactory))
        return names[0]
    }
}
