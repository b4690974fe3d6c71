/// What has changed in a collection since the previous element of ``RestorableCollection/changes``.
public enum CollectionChange<Element: Identifiable & Sendable>: Sendable
where Element.ID: Sendable {
    /// All elements in their order: the first change that a reader receives, and the change after a launch, after a
    /// rollback, or if the reader was too slow for the details.
    case all([Element])
    /// Changed elements. To apply them to the previous elements, first take out all removed and moved elements. Then handle
    /// the other changes in their order: each index is the index of the element in the result.
    case elements([ElementChange<Element>])
}

/// Change of one element of a collection.
public enum ElementChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The element with this `id` was removed.
    case removed(id: Element.ID)
    /// The element was inserted at an index.
    case inserted(Element, at: Int)
    /// The element was moved to an index, and may have been updated.
    case moved(Element, to: Int)
    /// The element at an index was updated.
    case updated(Element, at: Int)
}

extension CollectionChange {
    /// Applies the change to a copy of the collection.
    ///
    /// - Parameter elements: All elements before the change, in their order.
    public func apply(to elements: inout [Element]) {
        switch self {
        case .all(let all): elements = all
        case .elements(let changes):
            let removed = Set(
                changes.compactMap { change -> Element.ID? in
                    switch change {
                    case .removed(let id): id
                    case .moved(let element, _): element.id
                    case .inserted, .updated: nil
                    }
                })
            if !removed.isEmpty { elements.removeAll { removed.contains($0.id) } }
            for change in changes {
                switch change {
                case .removed: break
                case .inserted(let element, let index), .moved(let element, let index):
                    elements.insert(element, at: min(index, elements.count))
                case .updated(let element, let index):
                    if elements.indices.contains(index) { elements[index] = element }
                }
            }
        }
    }
}

extension RestorableCollection {
    /// The elements, and then the changes of the elements, until the application stops for good.
    ///
    /// If the collection changes several times before the next change is requested, the changes are combined: only the
    /// latest state of each element is returned. A reader that applies every change has the current elements.
    public var changes: CollectionChanges<Element> { CollectionChanges(collection: self) }

    /// Returns what has changed since a version, or `nil` if nothing has changed, and the current version.
    fileprivate func change(
        since version: Int?
    ) async throws -> (change: CollectionChange<Element>?, version: Int) {
        try await declared.inspect(launches: false) { object in
            let table = try table(of: object)
            return (table.change(since: version), table.version)
        }
    }
}

/// Sequence of the changes of a collection, see ``RestorableCollection/changes``.
public struct CollectionChanges<Member: Codable & Identifiable & Sendable>: AsyncSequence, Sendable
where Member.ID: CustomStringConvertible & Sendable {
    /// Type of a change.
    public typealias Element = CollectionChange<Member>
    fileprivate let collection: RestorableCollection<Member>

    /// Creates an iterator, which begins with all elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            collection: collection, turns: collection.declared.changingTurns.makeAsyncIterator())
    }

    /// Iterator over the changes, for a single task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let collection: RestorableCollection<Member>
        fileprivate var turns: AsyncStream<Void>.Iterator
        private var version: Int?

        fileprivate init(
            collection: RestorableCollection<Member>, turns: AsyncStream<Void>.Iterator
        ) {
            self.collection = collection
            self.turns = turns
        }

        /// Returns all elements first, then each change, and `nil` when no more changes are possible.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> CollectionChange<Member>? {
            while true {
                // A stopped application may be launched again, so errors are ignored.
                if let (change, version) = try? await collection.change(since: version) {
                    self.version = version
                    if let change { return change }
                }
                if await turns.next(isolation: actor) == nil { return nil }
            }
        }
    }
}
