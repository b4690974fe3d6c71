import DequeModule
public import StateRestoration

/// Collection whose elements an application saves individually after each change and restores after a restart.
///
/// To create a collection, call ``Application/collection(_:of:aliases:migrations:indexes:expires:)``. The collection
/// can be used from any task. Its methods wait until the application's `run()` method has launched the application.
public struct RestorableCollection<Element: Codable & Identifiable & Sendable>: Sendable
where Element.ID: CustomStringConvertible & Sendable {
    let accessor: DeclaredObjectAccessor<CollectionObject>

    init(_ accessor: DeclaredObjectAccessor<CollectionObject>) {
        self.accessor = accessor
    }

    /// Identifier of the collection.
    public var identifier: RestorationIdentifier { accessor.identifier }

    /// Copy of all current elements, in the collection's order. To read the elements without copying them, use
    /// ``read(_:)``.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public var elements: [Element] {
        get async throws { try await read { Array($0) } }
    }

    /// Number of elements. Reading the number does not copy any elements.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public var count: Int {
        get async throws { try await read { $0.count } }
    }

    /// Current element with the given `id`, or `nil` if there is no such element.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public subscript(id id: Element.ID) -> Element? {
        get async throws { try await read { $0[id: id] } }
    }

    /// Returns the first element whose property equals a value, or `nil` if no element matches.
    ///
    /// The order of the collection determines which element is first.
    ///
    /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public func first<Property: Hashable & Sendable>(
        where keyPath: any KeyPath<Element, Property> & Sendable, equals value: Property
    ) async throws -> Element? {
        try await read { $0.first(where: keyPath, equals: value) }
    }

    /// Returns the elements whose property equals a value, in the collection's order.
    ///
    /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
    ///
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    public func elements<Property: Hashable & Sendable>(
        where keyPath: any KeyPath<Element, Property> & Sendable, equals value: Property
    ) async throws -> [Element] {
        try await read { $0.elements(where: keyPath, equals: value) }
    }

    /// Reads the elements. The elements do not change while `body` runs.
    ///
    /// - Parameter body: A closure that reads the elements on the application's actor.
    /// - Returns: The result of `body`.
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed, or an error that `body`
    ///   throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Elements) throws -> Result
    ) async throws -> Result {
        try await accessor.inspect { try body(Elements(table(of: $0))) }
    }

    /// Changes elements in a single update, and returns after the changes have been saved.
    ///
    /// Either all changes are applied or none are. Changes that cannot be saved are not rolled back. To refuse an element
    /// that is too large or cannot be encoded, use ``Application/update(_:by:)``.
    ///
    /// If the task is cancelled before `body` runs, nothing changes. If the task is cancelled later, the changes are
    /// still saved, but the method does not wait for the save.
    ///
    /// - Parameter body: A closure that changes the elements in place on the application's actor. Concurrent updates
    ///   run one after the other. If the closure throws an error, nothing changes.
    /// - Returns: The result of `body`, and the durability level of the changes.
    /// - Throws: ``UnsavedChange`` if the changes were made in memory but could not be saved. ``RestorableValueError``
    ///   if an added element has an invalid `id` or the `id` of another element, or if an `id` was changed. It is also
    ///   thrown if the index of an insertion or move is out of range, or if no element has the `id` to be moved.
    ///   ``ApplicationError`` if the application has stopped, its launch has failed, or too many commands are waiting.
    ///   `CancellationError`, or an error that `body` throws. After any error except ``UnsavedChange`` and a late
    ///   cancellation, nothing has changed.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout MutableElements) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await updateEvenIfUnsaved(body).requiringSaved(
            by: accessor.application.bundleIdentifier)
    }

    /// Changes elements like ``update(_:)``, but does not throw an error if the changes are not saved.
    ///
    /// - Returns: The result of `body`, and the durability level of the changes. If the changes are only in memory, the
    ///   level is `notSaved` with the reason.
    /// - Throws: The errors that ``update(_:)`` throws, except ``UnsavedChange``.
    public func updateEvenIfUnsaved<Result: Sendable>(
        _ body: @escaping @Sendable (inout MutableElements) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await accessor.perform { object in
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

    /// Returns the table of elements, after removing expired elements from it.
    func table(of object: CollectionObject) throws -> ElementTable<Element> {
        guard let table = object.store as? ElementTable<Element> else {
            throw accessor.sceneNotLaunchedError
        }
        table.removeExpiredElements(below: object)
        return table
    }
}

extension RestorableCollection {
    /// Read-only view of a collection's elements, in the collection's order.
    public struct Elements: RandomAccessCollection {
        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// Index of the first element.
        public var startIndex: Int { 0 }
        /// Index after the last element.
        public var endIndex: Int { table.count }

        /// The element at the given index.
        public subscript(position: Int) -> Element {
            precondition(indices.contains(position), "the index is out of range")
            return table[position]
        }

        /// The element with the given `id`, or `nil` if there is no such element.
        public subscript(id id: Element.ID) -> Element? { table.entry(id)?.element }

        /// Returns the index of the element with the given `id`, or `nil` if there is no such element.
        public func index(id: Element.ID) -> Int? { table.index(id) }

        /// Returns the first element whose property equals a value, or `nil` if no element matches.
        ///
        /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
        public func first<Property: Hashable & Sendable>(
            where keyPath: KeyPath<Element, Property>, equals value: Property
        ) -> Element? {
            table.first(where: keyPath, equals: value)
        }

        /// Returns the elements whose property equals a value, in order.
        ///
        /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
        public func elements<Property: Hashable & Sendable>(
            where keyPath: KeyPath<Element, Property>, equals value: Property
        ) -> [Element] {
            table.elements(where: keyPath, equals: value)
        }
    }

    /// Mutable view of a collection's elements, in the collection's order.
    ///
    /// The view refers to the elements of the collection. Copying the view does not copy the elements. A `for`
    /// loop over the view can add, move and remove elements. It visits the elements that were in the collection when it
    /// began, except elements that have been removed since then.
    public struct MutableElements: RandomAccessCollection {
        /// Iterator over the elements that were in a collection when the iteration began.
        public struct Iterator: IteratorProtocol {
            private var entries: Deque<StoredElement<Element>>.Iterator

            init(_ entries: Deque<StoredElement<Element>>) { self.entries = entries.makeIterator() }

            /// Returns the next element that has not been removed, or `nil` if there are no more elements.
            public mutating func next() -> Element? {
                while let entry = entries.next() {
                    if let element = entry.element { return element }
                }
                return nil
            }
        }

        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// Index of the first element.
        public var startIndex: Int { 0 }
        /// Index after the last element.
        public var endIndex: Int { table.count }

        /// Returns an iterator over the current elements.
        public func makeIterator() -> Iterator { Iterator(table.sortedEntries()) }

        /// The element at the given index, which must be valid. The `id` of the element must not change.
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

        /// The element with the given `id`, or `nil` if there is no such element.
        ///
        /// Setting an element that does not exist appends it. Setting `nil` removes the element. The `id` of the
        /// element must not change.
        public subscript(id id: Element.ID) -> Element? {
            get { table.entry(id)?.element }
            nonmutating _modify {
                let entry = table.entry(id)
                var element = entry?.element
                defer { table.set(element, for: id, in: entry) }
                yield &element
            }
        }

        /// Returns the index of the element with the given `id`, or `nil` if there is no such element.
        public func index(id: Element.ID) -> Int? { table.index(id) }

        /// Returns the first element whose property equals a value, or `nil` if no element matches.
        ///
        /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
        public func first<Property: Hashable & Sendable>(
            where keyPath: KeyPath<Element, Property>, equals value: Property
        ) -> Element? {
            table.first(where: keyPath, equals: value)
        }

        /// Returns the elements whose property equals a value, in order.
        ///
        /// If the collection has a ``CollectionIndex`` for the property, only the matching elements are read.
        public func elements<Property: Hashable & Sendable>(
            where keyPath: KeyPath<Element, Property>, equals value: Property
        ) -> [Element] {
            table.elements(where: keyPath, equals: value)
        }

        /// Appends an element. If another element has the same `id`, the update throws an error.
        public func append(_ element: Element) { table.insert(element, at: endIndex) }

        /// Appends several elements. If any of their `id`s already exists, the update throws an error.
        public func append(contentsOf elements: some Sequence<Element>) {
            for element in elements { append(element) }
        }

        /// Inserts an element before the element at the given index, or at the end.
        ///
        /// If the index is out of range or another element has the same `id`, the update throws an error.
        public func insert(_ element: Element, at index: Int) { table.insert(element, at: index) }

        /// Removes the element with the given `id`.
        ///
        /// - Returns: The removed element, or `nil` if there is no such element.
        @discardableResult
        public func remove(id: Element.ID) -> Element? { table.remove(id) }

        /// Removes all elements that satisfy a predicate.
        public func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
            try table.removeAll(where: isRemoved)
        }

        /// Sorts the elements with a predicate. Elements that compare as equal keep their order.
        ///
        /// Only elements that have to move are saved.
        ///
        /// - Parameter areInIncreasingOrder: A closure that returns whether its first argument must come before its
        ///   second argument.
        public func sort(
            by areInIncreasingOrder: (Element, Element) throws -> Bool
        ) rethrows {
            try table.sort(by: areInIncreasingOrder)
        }

        /// Moves the element with the given `id` to another index.
        ///
        /// If there is no such element or the index is out of range, the update throws an error.
        ///
        /// - Parameters:
        ///   - id: The `id` of the element.
        ///   - index: The index of the element after the move.
        public func move(id: Element.ID, to index: Int) { table.move(id, to: index) }
    }
}

extension RestorableCollection.MutableElements where Element: Comparable {
    /// Sorts the elements. Elements that compare as equal keep their order.
    ///
    /// Only elements that have to move are saved.
    public func sort() { sort(by: <) }
}
