import Glibc
import LinuxIO
import Synchronization

/// A file system in memory that never fails and never forgets.
final class FuzzDisk: Sendable {
    /// The entries by their whole paths; nil: a folder.
    let entries = Mutex<[String: [UInt8]?]>(["": nil])

    /// Its root.
    var root: FuzzFolder { FuzzFolder(disk: self, path: "") }

    /// The bytes of a file; nil if there is none.
    func file(_ path: String) -> [UInt8]? { entries.withLock { $0[path] ?? nil } }

    /// Puts a file, and the folders above it, where nothing is.
    func put(_ bytes: [UInt8], _ path: String) {
        entries.withLock { entries in
            var above = ""
            for part in path.split(separator: "/").dropLast() {
                above += "/\(part)"
                entries[above] = .some(nil)
            }
            entries[path] = bytes
        }
    }
}

/// A folder of a ``FuzzDisk``.
struct FuzzFolder: Folder {
    let disk: FuzzDisk
    let path: String

    private func has(_ name: String) -> Bool {
        disk.entries.withLock { $0["\(path)/\(name)"] != nil }
    }

    func subfolder(_ name: String) -> FuzzFolder? {
        has(name) ? FuzzFolder(disk: disk, path: "\(path)/\(name)") : nil
    }

    func makeSubfolder(_ name: String) -> FuzzFolder {
        let path = "\(path)/\(name)"
        disk.entries.withLock { if $0[path] == nil { $0[path] = .some(nil) } }
        return FuzzFolder(disk: disk, path: path)
    }

    func names() -> [String] {
        let above = "\(path)/"
        return disk.entries.withLock { entries in
            entries.keys.filter { $0.hasPrefix(above) }.map { $0.dropFirst(above.count) }
                .filter { !$0.contains("/") }.map(String.init).sorted()
        }
    }

    func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        let bytes = disk.file("\(path)/\(name)")
        if let bytes, bytes.count > limit {
            throw IOError(.read, path: "\(path)/\(name)", code: EFBIG)
        }
        return bytes
    }

    func createFile(_ name: String) throws(IOError) -> FuzzFile {
        if has(name) { throw IOError(.create, path: "\(path)/\(name)", code: EEXIST) }
        disk.entries.withLock { $0["\(path)/\(name)"] = [] }
        return FuzzFile(disk: disk, path: "\(path)/\(name)")
    }

    func openForAppending(_ name: String) -> FuzzFile? {
        has(name) ? FuzzFile(disk: disk, path: "\(path)/\(name)") : nil
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        if !has(name) { throw IOError(.rename, path: "\(path)/\(name)", code: ENOENT) }
        disk.entries.withLock {
            $0["\(path)/\(newName)"] = $0.removeValue(forKey: "\(path)/\(name)")
        }
    }

    func exchange(_ name: String, with other: String) throws(IOError) {
        if !has(name) || !has(other) {
            throw IOError(.rename, path: "\(path)/\(name)", code: ENOENT)
        }
        disk.entries.withLock { entries in
            let first = entries["\(path)/\(name)"]
            entries["\(path)/\(name)"] = entries["\(path)/\(other)"]
            entries["\(path)/\(other)"] = first
        }
    }

    func status(of name: String) -> FileStatus? {
        disk.file("\(path)/\(name)").map { FileStatus(size: $0.count, inode: 1) }
    }

    func remove(_ name: String) -> Bool {
        disk.entries.withLock { $0.removeValue(forKey: "\(path)/\(name)") != nil }
    }

    func synchronize() {}
}

/// A file of a ``FuzzDisk``, known by its name.
struct FuzzFile: FolderFile {
    let disk: FuzzDisk
    let path: String

    func write(_ bytes: [UInt8]) {
        change { $0 += bytes }
    }

    func read(upTo byteCount: Int) -> [UInt8] { Array((disk.file(path) ?? []).prefix(byteCount)) }

    func status() -> FileStatus { FileStatus(size: disk.file(path)?.count ?? 0, inode: 1) }

    func truncate(to length: Int) {
        change { $0.removeLast($0.count - length) }
    }

    func synchronize() {}

    func synchronizeData() {}

    /// A file that was renamed or removed is out of reach; nobody writes to one.
    private func change(_ body: (inout [UInt8]) -> Void) {
        disk.entries.withLock { entries in
            guard case .some(.some(var bytes)) = entries[path] else { return }
            body(&bytes)
            entries[path] = bytes
        }
    }
}
