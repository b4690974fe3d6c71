import StateRestoration

/// Log of the latest changes to a collection's elements, for readers that follow the collection.
///
/// The log has a maximum size and is empty until the first reader follows the collection. If the log no longer contains
/// the changes that a reader needs, the reader reads all elements.
struct ElementLog {
    /// State of an element before a change.
    struct Entry {
        let identifier: RestorationIdentifier
        /// Position of the element, or `nil` if the element did not exist.
        let position: Int?
        /// The `id` of the element, or `nil` if the element did not exist.
        let id: (any Sendable)?
    }

    /// Maximum number of changes that remain after the log is trimmed.
    ///
    /// The log is trimmed when it contains more than twice this number of changes.
    ///
    /// An update with more changes than this number clears the log.
    static let maximumCount = 1024

    /// Whether any reader follows the collection.
    private(set) var isFollowed = false
    private var entries: [(version: Int, entry: Entry)] = []
    /// Oldest version for which the log contains all later changes.
    private var oldestVersion: Int
    /// Version of the collection after the latest update.
    private(set) var version: Int

    /// Creates an empty log.
    ///
    /// - Parameter version: The current version of the collection.
    init(version: Int) {
        oldestVersion = version
        self.version = version
    }

    /// Starts logging changes. Call this method when a reader begins to follow the collection.
    mutating func startLogging() { isFollowed = true }

    /// Adds the changes made by an update to the log.
    ///
    /// - Parameters:
    ///   - changes: The state of each changed element before the update.
    ///   - version: The version of the collection after the update. It must be greater than all earlier versions.
    mutating func append(_ changes: [Entry], version: Int) {
        self.version = version
        guard isFollowed, changes.count <= Self.maximumCount else {
            entries = []
            oldestVersion = version
            return
        }
        entries += changes.map { (version, $0) }
        if entries.count > 2 * Self.maximumCount {
            let droppedCount = entries.count - Self.maximumCount
            oldestVersion = entries[droppedCount - 1].version
            // The changes made by an update are removed together.
            entries = Array(entries.drop { $0.version <= oldestVersion })
        }
    }

    /// Returns the state that each changed element had at a version, or `nil` if the log no longer contains all changes
    /// since that version.
    func changes(since version: Int) -> [RestorationIdentifier: Entry]? {
        guard version >= oldestVersion else { return nil }
        var changes: [RestorationIdentifier: Entry] = [:]
        for (entryVersion, entry) in entries where entryVersion > version {
            if changes[entry.identifier] == nil { changes[entry.identifier] = entry }
        }
        return changes
    }
}
