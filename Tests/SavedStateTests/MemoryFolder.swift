import Glibc
import LinuxIO

/// A folder of a ``MemoryDisk``.
struct MemoryFolder: Folder {
    let disk: MemoryDisk
    let node: Int
    let path: String

    private func pathOf(_ name: String) -> String { "\(path)/\(name)" }

    func subfolder(_ name: String) throws(IOError) -> MemoryFolder? {
        let shown = pathOf(name)
        return try disk.perform(.openFolder, shown) { state in
            guard let found = state.find(name, from: node) else { return .success(nil) }
            guard state.nodes[found].isFolder else {
                return .failure(IOError(.openFolder, path: shown, code: ENOTDIR))
            }
            return .success(MemoryFolder(disk: disk, node: found, path: shown))
        }
    }

    func makeSubfolder(_ name: String) throws(IOError) -> MemoryFolder {
        try disk.perform(.makeFolder, pathOf(name)) { state in
            let made = state.openOrMake(name, in: node, isFolder: true)
            return .success(MemoryFolder(disk: disk, node: made, path: pathOf(name)))
        }
    }

    func names() throws(IOError) -> [String] {
        try disk.perform(.list, path) { .success($0.nodes[node].entries.keys.sorted()) }
    }

    func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try disk.perform(.read, pathOf(name)) { state in
            guard let found = state.find(name, from: node) else { return .success(nil) }
            let bytes = state.nodes[found].content
            if bytes.count > limit {
                return .failure(IOError(.read, path: pathOf(name), code: EFBIG))
            }
            return .success(bytes)
        }
    }

    func createFile(_ name: String) throws(IOError) -> MemoryFile {
        try disk.perform(.create, pathOf(name)) { state in
            guard state.find(name, from: node) == nil else {
                return .failure(IOError(.create, path: pathOf(name), code: EEXIST))
            }
            let made = state.openOrMake(name, in: node, isFolder: false)
            return .success(MemoryFile(disk: disk, node: made, path: pathOf(name)))
        }
    }

    func openForAppending(_ name: String) throws(IOError) -> MemoryFile? {
        try disk.perform(.open, pathOf(name)) { state in
            .success(
                state.find(name, from: node).map {
                    MemoryFile(disk: disk, node: $0, path: pathOf(name))
                })
        }
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try disk.perform(.rename, pathOf(name)) { state -> Result<Void, IOError> in
            var parts = newName.split(separator: "/").map(String.init)
            let last = parts.removeLast()
            guard let moved: Int = state.nodes[node].entries[name],
                let target = state.find(parts.joined(separator: "/"), from: node)
            else { return .failure(IOError(.rename, path: pathOf(name), code: ENOENT)) }
            state.nodes[node].entries[name] = nil
            state.nodes[target].entries[last] = moved
            return .success(())
        }
    }

    func exchange(_ name: String, with other: String) throws(IOError) {
        try disk.perform(.rename, pathOf(name)) { state -> Result<Void, IOError> in
            guard let first = state.nodes[node].entries[name],
                let second = state.nodes[node].entries[other]
            else { return .failure(IOError(.rename, path: pathOf(name), code: ENOENT)) }
            state.nodes[node].entries[name] = second
            state.nodes[node].entries[other] = first
            return .success(())
        }
    }

    func status(of name: String) throws(IOError) -> FileStatus? {
        try disk.perform(.status, pathOf(name)) { state in
            .success(state.find(name, from: node).map { state.status(of: $0) })
        }
    }

    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool {
        try disk.perform(.remove, pathOf(name)) { state in
            .success(state.nodes[node].entries.removeValue(forKey: name) != nil)
        }
    }

    func synchronize() throws(IOError) {
        try disk.perform(.synchronizeFolder, path, skipped: ()) { state in
            state.nodes[node].durableEntries = state.nodes[node].entries
            return .success(())
        }
    }
}

/// A file of a ``MemoryDisk``; a write that fails has written one half.
struct MemoryFile: FolderFile {
    let disk: MemoryDisk
    let node: Int
    let path: String

    func write(_ bytes: [UInt8]) throws(IOError) {
        try disk.perform(
            .write, path,
            failing: { $0.nodes[node].content += bytes.prefix(bytes.count / 2) }
        ) { state in
            state.nodes[node].content += bytes
            return .success(())
        }
    }

    func read(upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try disk.perform(.read, path) { .success(Array($0.nodes[node].content.prefix(byteCount))) }
    }

    func status() throws(IOError) -> FileStatus {
        try disk.perform(.status, path) { .success($0.status(of: node)) }
    }

    func truncate(to length: Int) throws(IOError) {
        try disk.perform(.truncate, path) { state in
            let content = state.nodes[node].content
            state.nodes[node].content = Array(content.prefix(length))
            return .success(())
        }
    }

    func synchronizeData() throws(IOError) { try synchronize() }

    func synchronize() throws(IOError) {
        try disk.perform(.synchronize, path, skipped: ()) { state in
            state.nodes[node].durableContent = state.nodes[node].content
            return .success(())
        }
    }
}
