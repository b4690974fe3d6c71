import ExactText
import Glibc
import LinuxIO

/// Contents of a simulated disk, which are its live and durable files and directories, and the changes between them.
///
/// Copies are cheap, because they share unchanged parts.
struct DiskContents: Sendable {
    /// File or directory. Its number is its index in ``nodes``.
    struct Node: Sendable {
        var isDirectory = false
        var file = FileImage()
        /// Nodes to which the directory's names refer.
        var entries: [ExactString: Int] = [:]
        /// Nodes to which the names certainly refer after a power cut, unless a pending change alters that.
        var durableEntries: [ExactString: Int] = [:]
    }

    /// All files and directories. Number 0 is the root. Nodes without a name remain in the array.
    var nodes = [Node(isDirectory: true)]
    /// Changes to directories that are not certainly durable yet, in order.
    private(set) var changes: [EntryChange] = []

    /// Changes the status of every file and directory before anyone sees it, or `nil` to change nothing.
    var statusChange: (@Sendable (inout FileStatus) -> Void)?

    /// Whether every power cut leaves the same contents.
    var isDurable: Bool {
        changes.isEmpty && nodes.allSatisfy { $0.file.changes.isEmpty }
    }

    /// Returns the node to which a path refers, relative to a directory. An empty path refers to the directory itself.
    func find(_ path: String, from directory: Int) -> Int? {
        if path.isEmpty { return directory }
        guard path.utf8.contains(UInt8(ascii: "/")) else { return nodes[directory].entries[path] }
        var node = directory
        for part in path.split(separator: "/") {
            guard let next = nodes[node].entries[String(part)] else { return nil }
            node = next
        }
        return node
    }

    /// Returns the directory that contains a path's last component, and this component, or `nil` if the directory does
    /// not exist.
    func locate(_ path: String, from directory: Int) -> (directory: Int, name: String)? {
        guard let slash = path.lastIndex(of: "/") else { return (directory, path) }
        guard let found = find(String(path[..<slash]), from: directory), nodes[found].isDirectory
        else { return nil }
        return (found, String(path[path.index(after: slash)...]))
    }

    func status(of node: Int) -> FileStatus {
        let names = nodes.reduce(0) { sum, other in
            sum + other.entries.values.count { $0 == node }
        }
        var status = FileStatus(
            size: nodes[node].file.content.count, linkCount: UInt64(names), inode: UInt64(node),
            mode: nodes[node].isDirectory ? S_IFDIR | 0o700 : S_IFREG | 0o600, modificationTime: 0)
        statusChange?(&status)
        return status
    }

    /// Files and directories that have no name, and will have no name after a power cut.
    var nodesWithoutName: [Int] {
        var isNamed = nodes.map { _ in false }
        for node in nodes {
            for other in node.entries.values { isNamed[other] = true }
            for other in node.durableEntries.values { isNamed[other] = true }
        }
        return nodes.indices.dropFirst().filter { !isNamed[$0] }
    }

    /// Returns whether a file below a directory has lost data.
    func hasLostData(below directory: Int = 0) -> Bool {
        nodes[directory].entries.values.contains { node in
            nodes[node].isDirectory ? hasLostData(below: node) : nodes[node].file.hasLostData
        }
    }

    /// Returns a line for each file and directory below a directory.
    func listing(of directory: Int = 0, path: String = "") -> [String] {
        nodes[directory].entries.sorted { $0.key < $1.key }.flatMap { name, node in
            let hasDurableName = nodes[directory].durableEntries[name] == node
            let suffix = hasDurableName ? "" : ", its name not durable"
            let file = nodes[node].file
            if nodes[node].isDirectory {
                return ["\(path)\(name.text)/\(suffix)"]
                    + listing(of: node, path: "\(path)\(name.text)/")
            }
            return [
                "\(path)\(name.text): \(file.content.count) bytes, \(file.durable.count) durable\(suffix)"
            ]
        }
    }

    /// Creates a file or directory under an unused name.
    mutating func makeNode(_ location: (directory: Int, name: String), isDirectory: Bool) -> Int {
        nodes.append(Node(isDirectory: isDirectory))
        let node = nodes.count - 1
        change(EntryChange([.init(directory: location.directory, name: location.name, node: node)]))
        return node
    }

    /// Changes directories. The change is durable when each of the directories has been synced.
    mutating func change(_ change: EntryChange) {
        for edit in change.edits { nodes[edit.directory].entries[edit.name] = edit.node }
        changes.append(change)
    }

    /// Makes the entries of only one directory durable.
    mutating func synchronizeDirectory(_ directory: Int) {
        nodes[directory].durableEntries = nodes[directory].entries
        for index in changes.indices {
            changes[index].edits.removeAll { $0.directory == directory }
        }
        changes.removeAll { $0.edits.isEmpty }
    }

    /// Discards all changes that are not certainly durable.
    mutating func discardUnsynced() {
        for index in nodes.indices {
            nodes[index].file = FileImage(durable: nodes[index].file.durable)
            nodes[index].entries = nodes[index].durableEntries
        }
        changes = []
    }

    /// Makes the current contents durable.
    mutating func synchronizeEverything() {
        for index in nodes.indices {
            nodes[index].file = FileImage(durable: nodes[index].file.content)
            nodes[index].durableEntries = nodes[index].entries
        }
        changes = []
    }
}

/// Operation on directory entries.
struct EntryChange: Sendable {
    /// New node of a name, or `nil` to remove the name.
    struct Edit: Sendable {
        var directory: Int
        var name: String
        var node: Int?
    }

    /// Edits, in the order in which a file system without a journal performs them.
    ///
    /// A rename sets the new name first, so that the file always has a name.
    var edits: [Edit]
    /// Whether all edits take effect together, as in an exchange.
    var isAtomic = false

    init(_ edits: [Edit], isAtomic: Bool = false) {
        self.edits = edits
        self.isAtomic = isAtomic
    }
}
