import Glibc
import LinuxIO
import Synchronization

/// A file system in memory that counts its operations, fails where a test wants, and can lose
/// everything that was not made durable.
final class MemoryDisk: Sendable {
    /// Which operation fails, counted from 1, with which errno; with 0 it claims to have
    /// succeeded, but does nothing.
    struct Fault: Sendable {
        var operation: Int
        var code: CInt
        var lasts = false
    }

    struct Node: Sendable {
        var isFolder: Bool
        var content: [UInt8] = []
        var durableContent: [UInt8] = []
        var entries: [String: Int] = [:]
        var durableEntries: [String: Int] = [:]
    }

    struct State: Sendable {
        var nodes = [Node(isFolder: true)]
        var operations = 0
        var fault: Fault?
        var log: [IOError.Operation] = []
    }

    let state: Mutex<State>

    init(_ state: State = State()) {
        self.state = Mutex(state)
    }

    var root: MemoryFolder { MemoryFolder(disk: self, node: 0, path: "/state") }

    /// The operations since the last fault was set.
    var log: [IOError.Operation] { state.withLock { $0.log } }

    /// Arms a fault, or none, and counts from now on.
    func inject(_ fault: Fault?) {
        state.withLock {
            $0.fault = fault
            $0.operations = 0
            $0.log = []
        }
    }

    /// Whether the armed fault has struck.
    var faultStruck: Bool {
        state.withLock {
            $0.fault.map { [count = $0.operations] in count >= $0.operation } ?? false
        }
    }

    /// How many files and folders were ever made, the root included.
    var nodeCount: Int { state.withLock { $0.nodes.count } }

    /// Takes every name out of the root.
    func emptyRoot() { state.withLock { $0.nodes[0].entries = [:] } }

    /// A copy without faults; after a power cut it has only what was durable.
    func copy(afterPowerCut: Bool) -> MemoryDisk {
        var copy = state.withLock { $0 }
        copy.fault = nil
        if afterPowerCut {
            for index in copy.nodes.indices {
                copy.nodes[index].content = copy.nodes[index].durableContent
                copy.nodes[index].entries = copy.nodes[index].durableEntries
            }
        }
        return MemoryDisk(copy)
    }

    /// The content of a file, from the root; `nil` if there is none.
    func file(_ path: String) -> [UInt8]? {
        state.withLock { state in state.find(path, from: 0).map { state.nodes[$0].content } }
    }

    /// Puts a file there, durably, with the folders above it.
    func put(_ bytes: [UInt8], at path: String) {
        state.withLock { state in
            var folder = 0
            var parts = path.split(separator: "/").map(String.init)
            let name = parts.removeLast()
            for part in parts { folder = state.openOrMake(part, in: folder, isFolder: true) }
            let file = state.openOrMake(name, in: folder, isFolder: false)
            state.nodes[file].content = bytes
            for index in state.nodes.indices {
                state.nodes[index].durableContent = state.nodes[index].content
                state.nodes[index].durableEntries = state.nodes[index].entries
            }
        }
    }

    /// Runs one operation, unless it is the one to fail.
    ///
    /// - Parameter failing: what a failing operation has done nevertheless.
    func perform<Value: Sendable>(
        _ operation: IOError.Operation, _ path: String, skipped: Value? = nil,
        failing: (inout State) -> Void = { _ in },
        _ body: (inout State) -> Result<Value, IOError>
    ) throws(IOError) -> Value {
        let result: Result<Value, IOError> = state.withLock { state in
            state.operations += 1
            state.log.append(operation)
            if let fault = state.fault,
                state.operations == fault.operation
                    || (fault.lasts && state.operations > fault.operation)
            {
                if fault.code == 0, let skipped { return .success(skipped) }
                failing(&state)
                return .failure(IOError(operation, path: path, code: fault.code))
            }
            return body(&state)
        }
        return try result.get()
    }
}

extension MemoryDisk.State {
    func find(_ path: String, from folder: Int) -> Int? {
        var node = folder
        for part in path.split(separator: "/") {
            guard let next = nodes[node].entries[String(part)] else { return nil }
            node = next
        }
        return node
    }

    func status(of node: Int) -> FileStatus {
        let names = nodes.reduce(0) { sum, other in
            sum + other.entries.values.count { $0 == node }
        }
        return FileStatus(
            size: nodes[node].content.count, linkCount: UInt64(names), inode: UInt64(node))
    }

    mutating func openOrMake(_ name: String, in folder: Int, isFolder: Bool) -> Int {
        if let node = nodes[folder].entries[name] { return node }
        nodes.append(MemoryDisk.Node(isFolder: isFolder))
        nodes[folder].entries[name] = nodes.count - 1
        return nodes.count - 1
    }
}
