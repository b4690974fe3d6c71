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
