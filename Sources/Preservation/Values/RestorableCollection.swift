public import StateRestoration

/// A collection whose elements an application saves separately after every change and restores after a
/// restart.
///
/// Create it with ``Application/collection(_:of:aliases:migrations:)``. It can be used from any task. The
/// methods wait until the application's `run()` method has launched the application.
public struct RestorableCollection<Element: Codable & Identifiable & Sendable>: Sendable
where Element.ID: CustomStringConvertible & Sendable {
    let declared: DeclaredObject<CollectionObject>

    init(_ declared: DeclaredObject<CollectionObject>) {
        self.declared = declared
    }

    /// Identifier under which the collection is saved.
    public var identifier: RestorationIdentifier { declared.identifier }

    /// All current elements in their order. Unlike ``read(_:)``, this property copies the elements.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public var elements: [Element] {
        get async throws { try await read { Array($0) } }
    }

    /// The current element with an `id`, or `nil` if there is no such element.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public subscript(id id: Element.ID) -> Element? {
        get async throws { try await read { $0[id: id] } }
    }

    /// Reads the elements, which do not change while the body runs.
    ///
    /// - Parameter body: Reads the elements, on the application's actor.
    /// - Returns: The result of `body`.
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, or an error
    ///   that `body` throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Elements) throws -> Result
    ) async throws -> Result {
        try await declared.inspect { try body(Elements(table(of: $0))) }
    }

    /// Changes elements, applies either all changes or none, and returns after they are saved.
    ///
    /// If the task is cancelled before `body` runs, nothing changes. If the task is cancelled later, the changes remain
    /// and are saved like any others, but the method no longer waits for that.
    ///
    /// - Parameter body: Changes the elements in place, on the application's actor. Concurrent updates run
    ///   one after the other. If the closure throws an error, nothing changes.
    /// - Returns: The result of `body`, and the durability level of the changes.
    /// - Throws: ``UnsavedChange`` if the changes could not be saved; the elements in memory are then the new ones.
    ///   ``RestorableValueError`` if an added element has the `id` of another element or an invalid `id`, if an `id` was
    ///   changed, or if an index or an `id` does not exist. ``ApplicationError`` if the application has stopped or its
    ///   launch has failed. `CancellationError`, or an error that `body` throws. Except for ``UnsavedChange`` and a late
    ///   cancellation, nothing has changed.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout MutableElements) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await updateEvenIfUnsaved(body).requiringSaved(
            by: declared.application.bundleIdentifier)
    }

    /// Changes elements, like ``update(_:)``, but also returns if the changes are not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of the changes, which is `notSaved` with the reason if
    ///   they are only in memory.
    /// - Throws: The errors of ``update(_:)`` except ``UnsavedChange``.
    public func updateEvenIfUnsaved<Result: Sendable>(
        _ body: @escaping @Sendable (inout MutableElements) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await declared.perform { object in
            let table = try table(of: object)
            var elements = MutableElements(table)
            do {
                let result = try body(&elements)
                try table.checkChanges()
                table.commit(below: object)
                return result
            } catch {
                table.rollBack()
                throw error
            }
        }
    }

    func table(of object: CollectionObject) throws -> ElementTable<Element> {
        guard let table = object.store as? ElementTable<Element> else { throw declared.isNotThere }
        return table
    }
}

extension RestorableCollection {
    /// The elements of a collection while they are read, in their order.
    public struct Elements: RandomAccessCollection {
        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// Index of the first element.
        public var startIndex: Int { 0 }
        /// Index after the last element.
        public var endIndex: Int { table.count }

        /// The element at an index.
        public subscript(position: Int) -> Element {
            precondition(indices.contains(position), "the index is out of range")
            return table[position]
        }

        /// The element with an `id`, or `nil` if there is no such element.
        public subscript(id id: Element.ID) -> Element? { table.entry(id)?.content.element }

        /// Returns the index of the element with an `id`, or `nil` if there is no such element.
        public func index(id: Element.ID) -> Int? { table.index(id) }
    }

    /// The elements of a collection while they are changed, in their order.
    ///
    /// This value refers to the elements of the collection. A copy of the value is not a separate collection.
    public struct MutableElements: RandomAccessCollection {
        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// Index of the first element.
        public var startIndex: Int { 0 }
        /// Index after the last element.
        public var endIndex: Int { table.count }

        /// The element at an index, which must be valid. The `id` of the element must not change.
        public subscript(position: Int) -> Element {
            get {
                precondition(indices.contains(position), "the index is out of range")
                return table[position]
            }
            nonmutating set {
                precondition(indices.contains(position), "the index is out of range")
                let id = table[position].id
                table.set(newValue, for: id, in: table.entry(id))
            }
        }

        /// The element with an `id`, or `nil` if there is no such element.
        ///
        /// If no element has the `id`, a new element is appended. Setting `nil` removes the element. The `id`
        /// of the element must not change.
        public subscript(id id: Element.ID) -> Element? {
            get { table.entry(id)?.content.element }
            nonmutating _modify {
                let entry = table.entry(id)
                var element = entry?.content.element
                defer { table.set(element, for: id, in: entry) }
                yield &element
            }
        }

        /// Returns the index of the element with an `id`, or `nil` if there is no such element.
        public func index(id: Element.ID) -> Int? { table.index(id) }

        /// Appends an element. If another element has its `id`, the update throws an error.
        public func append(_ element: Element) { table.insert(element, at: endIndex) }

        /// Appends elements. If another element has the `id` of one of them, the update throws an error.
        public func append(contentsOf elements: some Sequence<Element>) {
            for element in elements { append(element) }
        }

        /// Inserts an element before the element at an index, or at the end.
        ///
        /// If the index is out of range, or if another element has the `id` of the element, the update throws an error.
        public func insert(_ element: Element, at index: Int) { table.insert(element, at: index) }

        /// Removes the element with an `id`.
        ///
        /// - Returns: The removed element, or `nil` if there was no such element.
        @discardableResult
        public func remove(id: Element.ID) -> Element? { table.remove(id) }

        /// Removes the elements for which a condition holds.
        public func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
            try table.removeAll(where: isRemoved)
        }

        /// Moves the element with an `id`. The parameter `index` is the index of the element after the move.
        ///
        /// If there is no such element, or if the index is out of range, the update throws an error.
        public func move(id: Element.ID, to index: Int) { table.move(id, to: index) }
    }
}
