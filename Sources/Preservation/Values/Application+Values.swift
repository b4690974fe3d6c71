import StateRestoration

extension Application {
    /// Declares a value that is saved whenever it changes, and that is there again after a restart, a
    /// crash or a power cut: the shortest way to keep something.
    ///
    /// ```swift
    /// let jobs = try await application.value("jobs", default: JobState())
    /// try await jobs.update { $0.progress += 1 }
    /// ```
    ///
    /// It is encoded as a whole at each change, which serves up to some kilobytes. Values are declared
    /// before the application is run, and belong to its first configured scene.
    ///
    /// - Parameters:
    ///   - identifier: the name under which it is saved: 1 to 255 bytes without `/`. No other value and no
    ///     registered object may have it.
    ///   - initial: the value if none was saved.
    ///   - aliases: the identifiers that it had in earlier versions of the program, the latest first.
    ///   - migrations: how values of earlier types become one of this type, the latest first. Without them
    ///     a value that cannot be decoded is reported as `decode-failed`, the value is the initial one, and
    ///     what was saved stays until it is changed, and then in the history.
    /// - Throws: ``RestorableValueError``.
    public func value<Value: Codable & Sendable>(
        _ identifier: String, default initial: Value, aliases: [String] = [],
        migrations: [ValueMigration<Value>] = []
    ) throws(RestorableValueError) -> RestorableValue<Value> {
        let name = try declare(identifier, aliases: aliases) {
            let content = TypedContent(initial, migrations: migrations)
            return { ValueObject(content, rank: $0) }
        }
        return RestorableValue(DeclaredObject(name, of: self, in: definition))
    }

    /// Declares a collection of elements, each of which is saved by itself when it changes, and is there
    /// again after a restart, a crash or a power cut.
    ///
    /// ```swift
    /// let jobs = try await application.collection("jobs", of: Job.self)
    /// try await jobs.update { $0[id: 7]?.progress += 1 }
    /// ```
    ///
    /// What a change costs, and what it writes, depends on the elements that it changes, not on how many
    /// there are. Each is recorded below the collection under its `id`, as text, which is to be the same in
    /// every launch.
    ///
    /// - Parameters:
    ///   - identifier: the name under which it is saved, as of a value.
    ///   - type: the type of its elements.
    ///   - aliases: the identifiers that it had in earlier versions of the program, the latest first.
    ///   - migrations: how elements of earlier types become ones of this type, the latest first. An element
    ///     that cannot be decoded is reported as `decode-failed`, and is not there; what was saved of it
    ///     stays until one of its `id` is added.
    /// - Throws: ``RestorableValueError``.
    public func collection<Element>(
        _ identifier: String, of type: Element.Type, aliases: [String] = [],
        migrations: [ValueMigration<Element>] = []
    ) throws(RestorableValueError) -> RestorableCollection<Element>
    where Element.ID: CustomStringConvertible & Sendable {
        let name = try declare(identifier, aliases: aliases) {
            let table = ElementTable<Element>(migrations: migrations)
            return { CollectionObject(table, rank: $0) }
        }
        return RestorableCollection(DeclaredObject(name, of: self, in: definition))
    }

    /// - Parameter makeHolder: makes what holds the value in one launch, and returns how the object that
    ///   stands for it under an identifier is made, from the identifier's rank.
    private func declare(
        _ identifier: String, aliases: [String],
        holder makeHolder: @escaping @Sendable () -> (_ rank: Int) -> any StateRestoring
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
            let isTaken = launches.values.contains { ([$0.identifier] + $0.aliases).contains(name) }
            if isTaken || names[..<index].contains(name) {
                throw RestorableValueError(.declaredTwice, name.text)
            }
        }
        launches.values.append(
            ValueDeclaration(
                identifier: names[0], aliases: Array(names.dropFirst()), makeHolder: makeHolder))
        return names[0]
    }
}
