/// Where in a program a sync stands, told apart by what can be seen from the disk.
package struct SyncSite: Hashable, Sendable, CustomStringConvertible {
    /// What the program was doing, as it told the disk.
    package var activity: String
    /// The sort of sync.
    package var kind: DiskOperation.Kind
    /// What it is made on, see ``DiskOperation/name``.
    package var name: String
    /// The last operation before it that may have changed the disk, and the syncs since then.
    package var previous: String

    /// A site of these parts.
    package init(activity: String, kind: DiskOperation.Kind, name: String, previous: String) {
        self.activity = activity
        self.kind = kind
        self.name = name
        self.previous = previous
    }

    /// One line.
    package var description: String {
        "\(activity): \(kind.rawValue) of \(name) after \(previous)"
    }
}
