import ExactText
import Glibc
package import LinuxIO
import Synchronization

/// A file system in memory that knows what a kill or a power cut may leave of it, and fails where
/// a test wants.
///
/// What is written can be read at once, as from a page cache. It is durable only after the matching
/// sync: of the file for content and length, of the folder for a name. Until then a power cut may
/// take or leave any part of it, see ``DiskSnapshot``.
package final class SimulatedDisk: Sendable {
    struct Memory: Sendable {
        var contents = DiskContents()
        var fault: Fault?
        /// How many operations the fault has counted.
        var counted = 0
        var log: [IOError.Operation] = []
        /// Which syncs are left out.
        var omits: (@Sendable (SyncSite) -> Bool)?
        var omitted = 0
        var activity = ""
        /// The last change of the disk, and the syncs since, of each activity; kept while recording.
        var previous: [String: String] = [:]
        var record: DiskRecord?
    }

    let memory: Mutex<Memory>
    /// Asked before each operation, see ``setGate(_:)``.
    let gate = Mutex<(@Sendable (DiskOperation.Kind) -> Bool)?>(nil)

    init(_ contents: DiskContents) {
        memory = Mutex(Memory(contents: contents))
    }

    /// An empty disk.
    package convenience init() {
        self.init(DiskContents())
    }

    /// The only folder there is at first.
    package var root: SimulatedFolder { SimulatedFolder(disk: self, node: 0, path: "/state") }

    /// The operations since the last fault was set.
    package var log: [IOError.Operation] { memory.withLock { $0.log } }

    /// Arms a fault, or none, and counts from now on.
    package func inject(_ fault: Fault?) {
        memory.withLock {
            $0.fault = fault
            $0.counted = 0
            $0.log = []
        }
    }

    /// Whether the armed fault has struck.
    package var faultStruck: Bool {
        memory.withLock { memory in
            memory.fault.map { memory.counted >= $0.operation } ?? false
        }
    }

    /// How many files and folders were ever made, the root included.
    package var nodeCount: Int { memory.withLock { $0.contents.nodes.count } }

    /// Takes every name out of the root, durably.
    package func emptyRoot() {
        memory.withLock {
            $0.contents.nodes[0].entries = [:]
            $0.contents.synchronizeFolder(0)
        }
    }

    /// The content of a file, from the root; `nil` if there is none.
    package func file(_ path: String) -> [UInt8]? {
        memory.withLock { memory in
            let contents = memory.contents
            guard let node = contents.find(path, from: 0), !contents.nodes[node].isFolder
            else { return nil }
            return contents.nodes[node].file.content
        }
    }

    /// Changes the status of every file and folder before anyone sees it, as a strange file system would.
    package func changeStatus(_ change: @escaping @Sendable (inout FileStatus) -> Void) {
        memory.withLock { $0.contents.statusChange = change }
    }

    /// The names in a folder, from the root, sorted; none if there is no such folder.
    package func names(in path: String) -> [String] {
        memory.withLock { memory in
            memory.contents.find(path, from: 0).map {
                memory.contents.nodes[$0].entries.sortedKeys
            } ?? []
        }
    }

    /// Puts a file there, durably, with the folders above it, as everything else that is there.
    package func put(_ bytes: [UInt8], at path: String) {
        memory.withLock { memory in
            var folder = 0
            var parts = path.split(separator: "/").map(String.init)
            let name = parts.removeLast()
            for part in parts {
                folder =
                    memory.contents.find(part, from: folder)
                    ?? memory.contents.make((folder, part), isFolder: true)
            }
            let file =
                memory.contents.find(name, from: folder)
                ?? memory.contents.make((folder, name), isFolder: false)
            memory.contents.nodes[file].file = FileImage(durable: bytes)
            memory.contents.synchronizeEverything()
        }
    }

    /// A copy without faults and records; after a power cut it has only what was durable.
    package func copy(afterPowerCut: Bool) -> SimulatedDisk {
        let snapshot = snapshot
        return afterPowerCut ? snapshot.withoutUnsynced() : snapshot.afterKill()
    }

    /// The disk as it is now.
    package var snapshot: DiskSnapshot {
        DiskSnapshot(memory.withLock { $0.contents })
    }
}
