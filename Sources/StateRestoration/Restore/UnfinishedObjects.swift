import ExactText

/// Objects that the launch waits for because their restoration continues asynchronously.
struct UnfinishedObjects {
    /// An object and the path under which it was saved.
    struct Entry {
        let object: any AsyncStateRestoring
        let path: String
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Objects on which `finishRestoring(in:)` has not been called yet, in the order in which they were found.
    private var pendingEntries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Sorted paths of the objects.
    var paths: [String] { entries.values.map(\.path).sorted() }

    mutating func insert(_ entry: Entry) {
        entries[ObjectIdentifier(entry.object)] = entry
        pendingEntries.append(entry)
    }

    /// Removes and returns the objects on which `finishRestoring(in:)` has not been called yet.
    mutating func popPendingEntries() -> [Entry] {
        defer { pendingEntries = [] }
        return pendingEntries
    }

    /// Removes an object whose restoration has finished.
    ///
    /// - Returns: `false` if the launch no longer waits for the object.
    mutating func remove(_ entry: Entry) -> Bool {
        entries.removeValue(forKey: ObjectIdentifier(entry.object)) != nil
    }

    /// Removes and returns all objects, so that the launch no longer waits for them.
    mutating func removeAll() -> [any AsyncStateRestoring] {
        defer { self = UnfinishedObjects() }
        return entries.values.map(\.object)
    }
}
