import LinuxIO

/// One operation on a ``SimulatedDisk``.
package struct DiskOperation: Sendable, CustomStringConvertible {
    /// The sorts of operation that the seam has.
    package enum Kind: String, Sendable {
        case openFolder, makeFolder, list, synchronizeFolder
        case open, create, read, write, truncate, status
        case synchronize, synchronizeData
        case rename, exchange, remove
    }

    /// What was done.
    package var kind: Kind
    /// What it was done to, as it was named to the process.
    package var path: String
    /// The other name of a rename or exchange; else empty.
    package var other: String
    /// How many bytes were written, or the length that a file was cut to; else 0.
    package var byteCount: Int
    /// How it ended: `nil` when it succeeded, else the errno; 0 for a sync that was left out.
    package var failure: CInt?

    init(_ kind: Kind, _ path: String, other: String = "", byteCount: Int = 0) {
        self.kind = kind
        self.path = path
        self.other = other
        self.byteCount = byteCount
    }

    /// The last component of the path, with `N` for each number, so that it stays the same from
    /// one file to the next.
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

    /// One line: what was done to what, and how it ended.
    package var description: String {
        var line = "\(kind.rawValue) \(path)"
        if !other.isEmpty { line += " → \(other)" }
        if kind == .write || kind == .truncate { line += " (\(byteCount))" }
        if let failure { line += failure == 0 ? ": LEFT OUT" : ": FAILED with \(failure)" }
        return line
    }
}

extension DiskOperation.Kind {
    /// The operation as an error names it.
    var ioOperation: IOError.Operation {
        switch self {
        case .openFolder: .openFolder
        case .makeFolder: .makeFolder
        case .list: .list
        case .synchronizeFolder: .synchronizeFolder
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

    /// Whether it makes something durable.
    package var isSync: Bool {
        self == .synchronize || self == .synchronizeData || self == .synchronizeFolder
    }

    /// Whether it may leave another disk than it found.
    package var changesDisk: Bool {
        switch self {
        case .openFolder, .list, .open, .read, .status: false
        default: true
        }
    }
}

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
