public import StateRestoration

/// Elements of a program's own, each of which an application saves when it changes, and which are there
/// again after a restart; ``Application/collection(_:of:aliases:migrations:)`` makes it.
///
/// It may be used from anywhere. Everything waits until the application was launched, which its `run()`
/// does.
public struct RestorableCollection<Element: Codable & Identifiable & Sendable>: Sendable
where Element.ID: CustomStringConvertible & Sendable {
    private let declared: DeclaredObject<CollectionObject>

    init(_ declared: DeclaredObject<CollectionObject>) {
        self.declared = declared
    }

    /// The name under which it is saved.
    public var identifier: RestorationIdentifier { declared.identifier }

    /// All elements as they are now, in their order. This copies them; ``read(_:)`` does not.
    ///
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched.
    public var elements: [Element] {
        get async throws { try await read { Array($0) } }
    }

    /// The element of an `id` as it is now; nil if there is none.
    ///
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched.
    public subscript(id id: Element.ID) -> Element? {
        get async throws { try await read { $0[id: id] } }
    }

    /// Looks at the elements as they are between two changes.
    ///
    /// - Parameter body: looks at them, on the application's actor.
    /// - Returns: what `body` gave.
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched; what `body`
    ///   throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Elements) throws -> Result
    ) async throws -> Result {
        try await declared.look { try body(Elements(table(of: $0))) }
    }

    /// Changes elements, as one: they are saved when this returns, unless the answer says why they are not.
    ///
    /// - Parameter body: changes them in place, on the application's actor; changes that come at once follow
    ///   each other. If it throws, nothing has changed.
    /// - Returns: what `body` gave, and how safe the change is.
    /// - Throws: ``ApplicationError`` if the application has ended or could not be launched;
    ///   ``RestorableValueError`` if an element was added whose `id` another one has, or that cannot be
    ///   recorded, or if an `id` was changed; what `body` throws. Nothing has changed then.
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
    /// The elements while they are looked at, in their order.
    public struct Elements: RandomAccessCollection {
        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// The index of the first element.
        public var startIndex: Int { 0 }
        /// The index behind the last element.
        public var endIndex: Int { table.count }

        /// The element at an index.
        public subscript(position: Int) -> Element {
            precondition(indices.contains(position), "the index is out of range")
            return table[position]
        }

        /// The element of an `id`; nil if there is none.
        public subscript(id id: Element.ID) -> Element? { table.entry(id)?.content.element }

        /// The index of the element of an `id`; nil if there is none.
        public func index(id: Element.ID) -> Int? { table.index(id) }
    }

    /// The elements while they are changed, in their order. They are those of the collection: a copy of this
    /// is none of them.
    public struct MutableElements: RandomAccessCollection {
        private let table: ElementTable<Element>

        init(_ table: ElementTable<Element>) {
            self.table = table
        }

        /// The index of the first element.
        public var startIndex: Int { 0 }
        /// The index behind the last element.
        public var endIndex: Int { table.count }

        /// The element at an index.
        public subscript(position: Int) -> Element {
            precondition(indices.contains(position), "the index is out of range")
            return table[position]
        }

        /// The element of an `id`; nil if there is none. An element that is set where there was none is
        /// added as the last one; one that is set to nil is taken away. It keeps its `id`.
        public subscript(id id: Element.ID) -> Element? {
            get { table.entry(id)?.content.element }
            _modify {
                let entry = table.entry(id)
                var element = entry?.content.element
                defer { table.set(element, for: id, in: entry) }
                yield &element
            }
        }

        /// The index of the element of an `id`; nil if there is none.
        public func index(id: Element.ID) -> Int? { table.index(id) }

        /// Adds an element as the last one. No other one may have its `id`.
        public mutating func append(_ element: Element) { table.insert(element, at: endIndex) }

        /// Adds an element in front of the one at an index, or as the last one. No other one may have its
        /// `id`.
        public mutating func insert(_ element: Element, at index: Int) {
            precondition((0...endIndex).contains(index), "the index is out of range")
            table.insert(element, at: index)
        }

        /// Takes the element of an `id` away.
        ///
        /// - Returns: it; nil if there was none.
        @discardableResult
        public mutating func remove(id: Element.ID) -> Element? { table.remove(id) }

        /// Gives the element of an `id` another index: that which it has afterwards.
        public mutating func move(id: Element.ID, to index: Int) {
            precondition(indices.contains(index), "the index is out of range")
            table.move(id, to: index)
        }
    }
}
