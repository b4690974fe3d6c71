import StateRestoration

/// The latest changes of the elements of a collection, for readers that follow the collection.
///
/// The log is bounded, and empty until the first reader begins to follow. A reader that falls behind the log reads all elements again.
struct ElementLog {
    /// State of an element before a change.
    struct Entry {
        let identifier: RestorationIdentifier
        /// Position of the element, or `nil` if it did not exist.
        let place: Int?
        /// The `id` of the element, or `nil` if it did not exist.
        let id: (any Sendable)?
    }

    /// Maximum number of changes in the log.
    static let maximumCount = 1024

    /// Whether a reader follows the collection.
    private(set) var isFollowed = false
    private var entries: [(version: Int, entry: Entry)] = []
    /// Oldest version from which the changes in the log continue.
    private var start: Int
    /// Version of the collection after the latest update.
    private(set) var version: Int

    /// - Parameter version: Version of the collection without any logged change.
    init(version: Int) {
        start = version
        self.version = version
    }

    /// Begins to keep changes, because a reader follows the collection.
    mutating func follow() { isFollowed = true }

    /// Adds the changes of an update.
    ///
    /// - Parameters:
    ///   - changes: State of each changed element before the update.
    ///   - version: Version of the collection after the update, greater than each earlier version.
    mutating func append(_ changes: [Entry], version: Int) {
        self.version = version
        guard isFollowed, changes.count <= Self.maximumCount else {
            entries = []
            start = version
            return
        }
        entries += changes.map { (version, $0) }
        if entries.count > 2 * Self.maximumCount {
            let dropped = entries.count - Self.maximumCount
            start = entries[dropped - 1].version
            // Changes of one update stay together.
            entries = Array(entries.drop { $0.version <= start })
        }
    }

    /// Returns the state that each changed element had at a version, or `nil` if the log does not reach back to it.
    func changes(since version: Int) -> [RestorationIdentifier: Entry]? {
        guard version >= start else { return nil }
        var changes: [RestorationIdentifier: Entry] = [:]
        for (entryVersion, entry) in entries where entryVersion > version {
            if changes[entry.identifier] == nil { changes[entry.identifier] = entry }
        }
        return changes
    }
}
