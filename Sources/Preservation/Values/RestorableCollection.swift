public import StateRestoration

/// A collection whose elements an application saves separately after every change and restores after a
/// restart.
///
/// Create it with ``Application/collection(_:of:aliases:migrations:)``. It can be used from any task. The
/// methods wait until the application's `run()` method has launched the application.
public struct RestorableCollection<Element: Codable & Identifiable & Sendable>: Sendable
where Element.ID: CustomStringConvertible & Sendable {
    private let declared: DeclaredObject<CollectionObject>

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
        try await declared.look { try body(Elements(table(of: $0))) }
    }

    /// Changes elements, and applies either all changes or none.
    ///
    /// The changes are saved when this method returns, unless the reply contains a reason why they are not
    /// saved.
    ///
    /// - Parameter body: Changes the elements in place, on the application's actor. Concurrent updates run
    ///   one after the other. If the closure throws an error, nothing changes.
    /// - Returns: The result of `body`, and the durability level of the change.
    /// - Throws: ``ApplicationError`` if the application has stopped or its launch has failed.
    ///   ``RestorableValueError`` if an added element has the `id` of another element or an invalid `id`, or
    ///   if an `id` was changed. Errors that `body` throws. In all cases, nothing has changed.
    @discardableResult
    public func update<Result: Sendable>(
        _ body: @escaping @Sendable (inout MutableElements) throws -> Result
    ) async throws -> CommandReply<Result> {
        try await declared.perform { object in
            let table = try table(of: object)
            var elements = MutableElements(table)
            do {
                let result = try body(&elements)
                try table.commit(below: object)
                return result
            } catch {
                table.rollBack()
                throw error
            }
        }
    }

    private func table(of object: CollectionObject) throws -> ElementTable<Element> {
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

        /// The element at an index.
        public subscript(position: Int) -> Element {
            precondition(indices.contains(position), "the index is out of range")
            return table[position]
        }

        /// The element with an `id`, or `nil` if there is no such element.
        ///
        /// If no element has the `id`, a new element is appended. Setting `nil` removes the element. The `id`
        /// of the element must not change.
        public subscript(id id: Element.ID) -> Element? {
            get { table.entry(id)?.content.element }
            _modify {
                let entry = table.entry(id)
                var element = entry?.content.element
                defer { table.set(element, for: id, in: entry) }
                yield &element
            }
        }

        /// Returns the index of the element with an `id`, or `nil` if there is no such element.
        public func index(id: Element.ID) -> Int? { table.index(id) }

        /// Appends an element. Its `id` must be unique in the collection.
        public mutating func append(_ element: Element) { table.insert(element, at: endIndex) }

        /// Inserts an element before the element at an index, or at the end. Its `id` must be unique in the
        /// collection.
        public mutating func insert(_ element: Element, at index: Int) {
            precondition((0...endIndex).contains(index), "the index is out of range")
            table.insert(element, at: index)
        }

        /// Removes the element with an `id`.
        ///
        /// - Returns: The removed element, or `nil` if there was no such element.
        @discardableResult
        public mutating func remove(id: Element.ID) -> Element? { table.remove(id) }

        /// Moves the element with an `id`. The parameter `index` is the index of the element after the move.
        public mutating func move(id: Element.ID, to index: Int) {
            precondition(indices.contains(index), "the index is out of range")
            table.move(id, to: index)
        }
    }
}
