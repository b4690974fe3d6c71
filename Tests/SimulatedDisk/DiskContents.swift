import ExactText
import Glibc
import LinuxIO

/// Everything on a simulated disk: live and durable files and folders, and what lies between.
///
/// A value, cheap to copy: copies share what neither changes.
struct DiskContents: Sendable {
    /// A file or a folder; its number is its place among the nodes.
    struct Node: Sendable {
        var isFolder = false
        var file = FileImage()
        /// What the folder's names stand for.
        var entries: [ExactString: Int] = [:]
        /// What they certainly stand for after a power cut, unless a pending change says otherwise.
        var durableEntries: [ExactString: Int] = [:]
    }

    /// Number 0 is the root; what lost its last name stays.
    var nodes = [Node(isFolder: true)]
    /// What was done to folders and is not certainly on the disk, in order.
    private(set) var changes: [EntryChange] = []

    /// Changes the status of every file and folder before anyone sees it, or `nil` to change nothing.
    var statusChange: (@Sendable (inout FileStatus) -> Void)?

    /// Whether a power cut can leave anything but one certain state.
    var isDurable: Bool {
        changes.isEmpty && nodes.allSatisfy { $0.file.changes.isEmpty }
    }

    /// What a path stands for, from a folder on; an empty one for that folder.
    func find(_ path: String, from folder: Int) -> Int? {
        if path.isEmpty { return folder }
        guard path.utf8.contains(UInt8(ascii: "/")) else { return nodes[folder].entries[path] }
        var node = folder
        for part in path.split(separator: "/") {
            guard let next = nodes[node].entries[String(part)] else { return nil }
            node = next
        }
        return node
    }

    /// The folder that a path's last name is in, and that name; `nil` if there is no such folder.
    func locate(_ path: String, from folder: Int) -> (folder: Int, name: String)? {
        guard let slash = path.lastIndex(of: "/") else { return (folder, path) }
        guard let found = find(String(path[..<slash]), from: folder), nodes[found].isFolder
        else { return nil }
        return (found, String(path[path.index(after: slash)...]))
    }

    func status(of node: Int) -> FileStatus {
        let names = nodes.reduce(0) { sum, other in
            sum + other.entries.values.count { $0 == node }
        }
        var status = FileStatus(
            size: nodes[node].file.content.count, linkCount: UInt64(names), inode: UInt64(node),
            mode: nodes[node].isFolder ? S_IFDIR | 0o700 : S_IFREG | 0o600, modified: 0)
        statusChange?(&status)
        return status
    }

    /// The files and folders that have no name, and will have none after a power cut.
    var nodesWithoutName: [Int] {
        var isNamed = nodes.map { _ in false }
        for node in nodes {
            for other in node.entries.values { isNamed[other] = true }
            for other in node.durableEntries.values { isNamed[other] = true }
        }
        return nodes.indices.dropFirst().filter { !isNamed[$0] }
    }

    /// Whether a file below a folder has lost something.
    func hasLost(below folder: Int = 0) -> Bool {
        nodes[folder].entries.values.contains { node in
            nodes[node].isFolder ? hasLost(below: node) : nodes[node].file.hasLost
        }
    }

    /// A line for each file below a folder.
    func listing(of folder: Int = 0, path: String = "") -> [String] {
        nodes[folder].entries.sorted { $0.key < $1.key }.flatMap { name, node in
            let isNamed = nodes[folder].durableEntries[name] == node
            let note = isNamed ? "" : ", its name not durable"
            let file = nodes[node].file
            if nodes[node].isFolder {
                return ["\(path)\(name.text)/\(note)"]
                    + listing(of: node, path: "\(path)\(name.text)/")
            }
            return [
                "\(path)\(name.text): \(file.content.count) bytes, \(file.durable.count) durable\(note)"
            ]
        }
    }

    /// Makes a file or folder under a name that is free.
    mutating func make(_ place: (folder: Int, name: String), isFolder: Bool) -> Int {
        nodes.append(Node(isFolder: isFolder))
        let made = nodes.count - 1
        change(EntryChange([.init(folder: place.folder, name: place.name, node: made)]))
        return made
    }

    /// Does something to folders, durable only after each of them was synchronized.
    mutating func change(_ change: EntryChange) {
        for edit in change.edits { nodes[edit.folder].entries[edit.name] = edit.node }
        changes.append(change)
    }

    /// Makes the entries of one folder durable, and no others.
    mutating func synchronizeFolder(_ folder: Int) {
        nodes[folder].durableEntries = nodes[folder].entries
        for index in changes.indices {
            changes[index].edits.removeAll { $0.folder == folder }
        }
        changes.removeAll { $0.edits.isEmpty }
    }

    /// Goes back to what is certainly on the disk.
    mutating func forgetUnsynced() {
        for index in nodes.indices {
            nodes[index].file = FileImage(durable: nodes[index].file.durable)
            nodes[index].entries = nodes[index].durableEntries
        }
        changes = []
    }

    /// Makes everything durable that is there now.
    mutating func synchronizeEverything() {
        for index in nodes.indices {
            nodes[index].file = FileImage(durable: nodes[index].file.content)
            nodes[index].durableEntries = nodes[index].entries
        }
        changes = []
    }
}

/// One operation on the entries of folders.
struct EntryChange: Sendable {
    /// What one name stands for from now on; `nil` for nothing.
    struct Edit: Sendable {
        var folder: Int
        var name: String
        var node: Int?
    }

    /// What it does, in the order in which a file system without journal does it; a rename sets the
    /// new name first, so that no moment is without both.
    var edits: [Edit]
    /// Whether none of them happens without the others, as in an exchange.
    var isAtomic = false

    init(_ edits: [Edit], isAtomic: Bool = false) {
        self.edits = edits
        self.isAtomic = isAtomic
    }
}
