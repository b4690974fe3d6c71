import Glibc
import LinuxIO
import Synchronization

/// A file system in memory that never fails and never loses data.
final class FuzzDisk: Sendable {
    /// An entry at an absolute path.
    enum Entry: Sendable {
        case directory
        case file(FuzzFile)
    }

    /// All entries, keyed by path.
    let entries = Mutex<[String: Entry]>(["": .directory])

    /// The root directory.
    var root: FuzzDirectory { FuzzDirectory(disk: self, path: "") }

    /// Returns the file at a path, or `nil` if there is no file.
    func file(_ path: String) -> FuzzFile? {
        entries.withLock { if case .file(let file) = $0[path] { file } else { nil } }
    }

    /// Creates a file and the directories above it.
    func put(_ bytes: [UInt8], _ path: String) {
        entries.withLock { entries in
            var above = ""
            for part in path.split(separator: "/").dropLast() {
                above += "/\(part)"
                entries[above] = .directory
            }
            entries[path] = .file(FuzzFile(bytes))
        }
    }
}

/// A file of a ``FuzzDisk``, regardless of its name.
final class FuzzFile: FileProtocol {
    private struct State {
        var bytes: [UInt8]
        var linkCount: UInt64 = 1
    }

    private static let files = Atomic<UInt64>(0)
    private let inode = files.add(1, ordering: .relaxed).newValue
    private let state: Mutex<State>

    init(_ bytes: [UInt8] = []) {
        state = Mutex(State(bytes: bytes))
    }

    /// The contents of the file.
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// Records that the file has lost its name.
    func unlink() { state.withLock { $0.linkCount = 0 } }

    func write(_ bytes: [UInt8]) { state.withLock { $0.bytes += bytes } }

    let path = "/fuzz"

    func read(from offset: Int, upTo byteCount: Int) -> [UInt8] {
        Array(bytes.dropFirst(offset).prefix(byteCount))
    }

    func status() -> FileStatus {
        state.withLock {
            FileStatus(size: $0.bytes.count, linkCount: $0.linkCount, inode: inode)
        }
    }

    func truncate(to length: Int) {
        state.withLock { $0.bytes.removeLast($0.bytes.count - length) }
    }

    func synchronize() {}

    func synchronizeData() {}
}

/// A directory of a ``FuzzDisk``.
struct FuzzDirectory: DirectoryProtocol {
    let disk: FuzzDisk
    let path: String

    private func has(_ name: String) -> Bool {
        disk.entries.withLock { $0["\(path)/\(name)"] != nil }
    }

    private func file(_ name: String) -> FuzzFile? { disk.file("\(path)/\(name)") }

    func openSubdirectory(_ name: String) -> FuzzDirectory? {
        has(name) ? FuzzDirectory(disk: disk, path: "\(path)/\(name)") : nil
    }

    func openOrCreateSubdirectory(_ name: String) -> FuzzDirectory {
        let path = "\(path)/\(name)"
        disk.entries.withLock { if $0[path] == nil { $0[path] = .directory } }
        return FuzzDirectory(disk: disk, path: path)
    }

    func names() -> [String] {
        let above = "\(path)/"
        return disk.entries.withLock { entries in
            entries.keys.filter { $0.hasPrefix(above) }.map { $0.dropFirst(above.count) }
                .filter { !$0.contains("/") }.map(String.init).sorted()
        }
    }

    func openForReading(_ name: String) -> FuzzFile? { file(name) }

    func createFile(_ name: String) throws(IOError) -> FuzzFile {
        if has(name) { throw IOError(.create, path: "\(path)/\(name)", code: EEXIST) }
        let file = FuzzFile()
        disk.entries.withLock { $0["\(path)/\(name)"] = .file(file) }
        return file
    }

    func openForAppending(_ name: String) -> FuzzFile? { file(name) }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try require(name)
        file(newName)?.unlink()
        disk.entries.withLock {
            $0["\(path)/\(newName)"] = $0.removeValue(forKey: "\(path)/\(name)")
        }
    }

    func exchange(_ name: String, with other: String) throws(IOError) {
        try require(name)
        try require(other)
        disk.entries.withLock { entries in
            let first = entries["\(path)/\(name)"]
            entries["\(path)/\(name)"] = entries["\(path)/\(other)"]
            entries["\(path)/\(other)"] = first
        }
    }

    func status(of name: String) -> FileStatus? { file(name)?.status() }

    func remove(_ name: String) -> Bool {
        file(name)?.unlink()
        return disk.entries.withLock { $0.removeValue(forKey: "\(path)/\(name)") != nil }
    }

    func synchronize() {}

    private func require(_ name: String) throws(IOError) {
        if !has(name) { throw IOError(.rename, path: "\(path)/\(name)", code: ENOENT) }
    }
}
