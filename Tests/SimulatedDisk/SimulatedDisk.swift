import ExactText
import Glibc
package import LinuxIO
import Synchronization

/// File system in memory that simulates kills, power cuts and faults.
///
/// Written bytes can be read immediately, as from a page cache. They become durable only with the matching sync: a sync
/// of the file for its contents and length, and a sync of the directory for a name. Until then, a power cut may lose
/// any part of the change, see ``DiskSnapshot``.
package final class SimulatedDisk: Sendable {
    struct Memory: Sendable {
        var contents = DiskContents()
        var fault: Fault?
        /// Number of operations that the fault has counted.
        var countedOperations = 0
        var log: [IOError.Operation] = []
        /// Decides which syncs are omitted.
        var isOmitted: (@Sendable (SyncSite) -> Bool)?
        var omittedCount = 0
        var activity = ""
        /// Last change of the disk and the syncs since then, keyed by activity. Only set during a recording.
        var previous: [String: String] = [:]
        var record: DiskRecord?
    }

    let memory: Mutex<Memory>
    /// Called before each operation, see ``setGate(_:)``.
    let gate = Mutex<(@Sendable (DiskOperation.Kind) -> Bool)?>(nil)

    init(_ contents: DiskContents) {
        memory = Mutex(Memory(contents: contents))
    }

    /// Creates an empty disk.
    package convenience init() {
        self.init(DiskContents())
    }

    /// Root directory.
    package var root: SimulatedDirectory { SimulatedDirectory(disk: self, node: 0, path: "/state") }

    /// Operations since the last fault was set.
    package var log: [IOError.Operation] { memory.withLock { $0.log } }

    /// Sets or removes the fault, and starts to count operations.
    package func inject(_ fault: Fault?) {
        memory.withLock {
            $0.fault = fault
            $0.countedOperations = 0
            $0.log = []
        }
    }

    /// Whether the fault has occurred.
    package var hasFaultOccurred: Bool {
        memory.withLock { memory in
            memory.fault.map { memory.countedOperations >= $0.operation } ?? false
        }
    }

    /// Number of files and directories that were ever created, including the root.
    package var nodeCount: Int { memory.withLock { $0.contents.nodes.count } }

    /// Removes all names from the root durably.
    package func emptyRoot() {
        memory.withLock {
            $0.contents.nodes[0].entries = [:]
            $0.contents.synchronizeDirectory(0)
        }
    }

    /// Returns the contents of a file relative to the root, or `nil` if the file does not exist.
    package func file(_ path: String) -> [UInt8]? {
        memory.withLock { memory in
            let contents = memory.contents
            guard let node = contents.find(path, from: 0), !contents.nodes[node].isDirectory
            else { return nil }
            return contents.nodes[node].file.content
        }
    }

    /// Changes the status of every file and directory that the disk reports, like an unusual file system.
    package func changeStatus(_ change: @escaping @Sendable (inout FileStatus) -> Void) {
        memory.withLock { $0.contents.statusChange = change }
    }

    /// Returns the sorted names in a directory relative to the root, or no names if the directory does not exist.
    package func names(in path: String) -> [String] {
        memory.withLock { memory in
            memory.contents.find(path, from: 0).map {
                memory.contents.nodes[$0].entries.sortedKeys
            } ?? []
        }
    }

    /// Creates a file and its parent directories durably, and makes all other contents durable.
    package func put(_ bytes: [UInt8], at path: String) {
        memory.withLock { memory in
            var directory = 0
            var parts = path.split(separator: "/").map(String.init)
            let name = parts.removeLast()
            for part in parts {
                directory =
                    memory.contents.find(part, from: directory)
                    ?? memory.contents.makeNode((directory, part), isDirectory: true)
            }
            let file =
                memory.contents.find(name, from: directory)
                ?? memory.contents.makeNode((directory, name), isDirectory: false)
            memory.contents.nodes[file].file = FileImage(durable: bytes)
            memory.contents.synchronizeEverything()
        }
    }

    /// Returns a copy without faults and records. After a power cut, it has only the durable contents.
    package func copy(afterPowerCut: Bool) -> SimulatedDisk {
        let snapshot = snapshot
        return afterPowerCut ? snapshot.withoutUnsynced() : snapshot.afterKill()
    }

    /// Snapshot of the current state.
    package var snapshot: DiskSnapshot {
        DiskSnapshot(memory.withLock { $0.contents })
    }
}
