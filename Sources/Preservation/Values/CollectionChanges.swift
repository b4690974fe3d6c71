/// Change to a collection since the previous element in ``RestorableCollection/changes``.
public enum CollectionChange<Element: Identifiable & Sendable>: Sendable
where Element.ID: Sendable {
    /// All elements in order.
    ///
    /// A reader receives this change first. It also receives this change after a launch or rollback, and whenever it
    /// has fallen too far behind for individual changes.
    case all([Element])
    /// Individual changes to elements.
    ///
    /// To apply the changes, remove all removed and moved elements first. Then apply the other changes in order. Each
    /// index is the element's index in the resulting collection. ``apply(to:)`` follows these steps.
    case elements([ElementChange<Element>])
}

/// Change to an element in a collection.
public enum ElementChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The element with the given `id` was removed.
    case removed(id: Element.ID)
    /// The element was inserted at the given index.
    case inserted(Element, at: Int)
    /// The element was moved to the given index. It may also have been updated.
    case moved(Element, to: Int)
    /// The element at the given index was updated.
    case updated(Element, at: Int)
}

extension CollectionChange {
    /// Applies the change to a copy of the collection.
    ///
    /// - Parameter elements: All elements before the change, in the collection's order.
    public func apply(to elements: inout [Element]) {
        switch self {
        case .all(let all): elements = all
        case .elements(let changes):
            let removedIDs = Set(
                changes.compactMap { change -> Element.ID? in
                    switch change {
                    case .removed(let id): id
                    case .moved(let element, _): element.id
                    case .inserted, .updated: nil
                    }
                })
            if !removedIDs.isEmpty { elements.removeAll { removedIDs.contains($0.id) } }
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
    /// Sequence of changes to the collection, beginning with all elements.
    ///
    /// The sequence finishes when the application stops for good. If the collection changes several times before the
    /// next change is requested, the changes are combined, and only the latest state of each element is returned. A
    /// reader that applies every change always has the current elements.
    public var changes: CollectionChanges<Element> { CollectionChanges(collection: self) }

    /// Returns the current version and the change since the given version. The change is `nil` if nothing has changed.
    fileprivate func change(
        since version: Int?
    ) async throws -> (change: CollectionChange<Element>?, version: Int) {
        try await accessor.inspect(launchesScene: false) { object in
            let table = try table(of: object)
            return (table.change(since: version), table.version)
        }
    }
}

/// Sequence of changes to a collection (see ``RestorableCollection/changes``).
public struct CollectionChanges<Member: Codable & Identifiable & Sendable>: AsyncSequence, Sendable
where Member.ID: CustomStringConvertible & Sendable {
    /// Change to the collection.
    public typealias Element = CollectionChange<Member>
    fileprivate let collection: RestorableCollection<Member>

    /// Creates an iterator whose first change contains all elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            collection: collection,
            sceneUpdateIterator: collection.accessor.sceneUpdates.makeAsyncIterator())
    }

    /// Iterator over the changes. Only one task can use it.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let collection: RestorableCollection<Member>
        fileprivate var sceneUpdateIterator: AsyncStream<Void>.Iterator
        private var version: Int?

        fileprivate init(
            collection: RestorableCollection<Member>,
            sceneUpdateIterator: AsyncStream<Void>.Iterator
        ) {
            self.collection = collection
            self.sceneUpdateIterator = sceneUpdateIterator
        }

        /// Returns all elements first, then each change, and `nil` after the application has stopped for good.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> CollectionChange<Member>? {
            while true {
                // Errors are ignored, because a stopped application can be launched again.
                if let (change, version) = try? await collection.change(since: version) {
                    self.version = version
                    if let change { return change }
                }
                if await sceneUpdateIterator.next(isolation: actor) == nil { return nil }
            }
        }
    }
}
