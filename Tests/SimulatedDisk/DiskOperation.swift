import LinuxIO

/// Operation on a ``SimulatedDisk``.
package struct DiskOperation: Sendable, CustomStringConvertible {
    /// Kind of operation of a directory or file.
    package enum Kind: String, Sendable {
        case openDirectory, createDirectory, list, synchronizeDirectory
        case open, create, read, write, truncate, status
        case synchronize, synchronizeData
        case rename, exchange, remove
    }

    /// Kind of the operation.
    package var kind: Kind
    /// Path that the process specified.
    package var path: String
    /// Second name of a rename or exchange, or an empty string for other operations.
    package var other: String
    /// Number of bytes written, or the length to which a file was truncated, or 0 for other operations.
    package var byteCount: Int
    /// Error number, or `nil` if the operation succeeded. It is 0 for a sync that was omitted.
    package var failure: CInt?

    init(_ kind: Kind, _ path: String, other: String = "", byteCount: Int = 0) {
        self.kind = kind
        self.path = path
        self.other = other
        self.byteCount = byteCount
    }

    /// Last component of the path, with `N` for each number. The result is the same for files that differ only in
    /// numbers.
    package var name: String {
        var name = ""
        for character in path[
            (path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        {
            if !character.isNumber {
                name.append(character)
            } else if name.last != "N" {
                name.append("N")
            }
        }
        return name
    }

    /// One line with the operation, its path and its result.
    package var description: String {
        var line = "\(kind.rawValue) \(path)"
        if !other.isEmpty { line += " → \(other)" }
        if kind == .write || kind == .truncate { line += " (\(byteCount))" }
        if let failure { line += failure == 0 ? ": LEFT OUT" : ": FAILED with \(failure)" }
        return line
    }
}

extension DiskOperation.Kind {
    /// The operation in errors.
    var ioOperation: IOError.Operation {
        switch self {
        case .openDirectory: .openDirectory
        case .createDirectory: .createDirectory
        case .list: .list
        case .synchronizeDirectory: .synchronizeDirectory
        case .open: .open
        case .create: .create
        case .read: .read
        case .write: .write
        case .truncate: .truncate
        case .status: .status
        case .synchronize, .synchronizeData: .synchronize
        case .rename, .exchange: .rename
        case .remove: .remove
        }
    }

    /// Whether the operation makes data durable.
    package var isSync: Bool {
        self == .synchronize || self == .synchronizeData || self == .synchronizeDirectory
    }

    /// Whether the operation may change the disk.
    package var changesDisk: Bool {
        switch self {
        case .openDirectory, .list, .open, .read, .status: false
        default: true
        }
    }
}

/// Place of a sync in a program, identified by what the disk can observe.
package struct SyncSite: Hashable, Sendable, CustomStringConvertible {
    /// Activity that the program has announced to the disk.
    package var activity: String
    /// Kind of sync.
    package var kind: DiskOperation.Kind
    /// Name of the synced file or directory, see ``DiskOperation/name``.
    package var name: String
    /// Last earlier operation that may have changed the disk, and the syncs since then.
    package var previous: String

    /// Creates the place of a sync.
    package init(activity: String, kind: DiskOperation.Kind, name: String, previous: String) {
        self.activity = activity
        self.kind = kind
        self.name = name
        self.previous = previous
    }

    /// One line with the activity, the sync and the previous operation.
    package var description: String {
        "\(activity): \(kind.rawValue) of \(name) after \(previous)"
    }
}
