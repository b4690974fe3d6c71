import Dispatch
import LinuxIO
import Synchronization
import TestSupport

/// Recorder of operations in a state directory, which can also make operations fail.
final class DirectoryWatch: Sendable {
    /// Handling of data syncs.
    enum Syncing: Sendable {
        /// The disk performs the sync.
        case real
        /// The sync is skipped and succeeds immediately.
        case skipped
        /// The disk performs the sync after ``DirectoryWatch/permitSync()`` has been called.
        case blocked
    }

    private let syncing = Mutex(Syncing.real)
    private let syncPermits = DispatchSemaphore(value: 0)
    /// Number of syncs that have waited for ``permitSync()``.
    let blockedSyncs = AwaitableState(0)

    func setSyncing(_ new: Syncing) { syncing.withLock { $0 = new } }

    /// Permits a blocked sync, or the next sync.
    func permitSync() { syncPermits.signal() }

    private let state = Mutex(
        (
            events: [String](), synchronized: [String](), failing: [String: CInt](),
            failingOnce: [String: CInt](),
            code: CInt?.none, dataSyncs: 0, refusals: 0
        ))

    /// Returns whether a sync must be skipped. If syncs are blocked, waits for permission first.
    fileprivate func isSyncSkipped() -> Bool {
        let syncing = syncing.withLock { $0 }
        if case .blocked = syncing {
            blockedSyncs.change { $0 += 1 }
            syncPermits.wait()
        }
        return syncing == .skipped
    }

    /// Closure that is called before each operation that can fail, with the name of the file or directory.
    let beforeOperation = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Stream with an event for each attempt to make data durable.
    let dataSyncs = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(64))

    /// Operations in order: the events of files, and the events that a test adds.
    var events: [String] { state.withLock { $0.events } }

    /// Paths of the directories that were made durable, in order.
    var synchronized: [String] { state.withLock { $0.synchronized } }

    func recordSynchronized(_ path: String) {
        state.withLock { $0.synchronized.append(path) }
    }

    /// Number of data syncs.
    var dataSyncCount: Int { state.withLock { $0.dataSyncs } }

    func recordDataSync() {
        state.withLock { $0.dataSyncs += 1 }
    }

    func record(_ event: String) {
        // Launch records do not belong to an application.
        if event == "launches" { return }
        state.withLock { $0.events.append(event) }
    }

    /// Removes all recorded operations.
    func clear() {
        state.withLock {
            $0.events = []
            $0.synchronized = []
            $0.dataSyncs = 0
        }
    }

    /// Makes all operations on files or directories with a name fail, or succeed again if the code is `nil`.
    func fail(_ name: String, with code: CInt?) {
        state.withLock { $0.failing[name] = code }
    }

    /// Makes the next operation on a file or directory with a name fail.
    func failOnce(_ name: String, with code: CInt) {
        state.withLock { $0.failingOnce[name] = code }
    }

    /// Makes writes to files with a name fail, or succeed again if the code is `nil`.
    func failWriting(_ name: String, with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.write) \(name)"] = code }
    }

    /// Makes syncs of directories fail, or succeed again if the code is `nil`.
    func failDirectorySyncs(with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.synchronizeDirectory) "] = code }
    }

    /// Makes the removal of files with a name fail, or succeed again if the code is `nil`.
    func failRemoving(_ name: String, with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.remove) \(name)"] = code }
    }

    func checkRemoval(of name: String, in path: String) throws(IOError) {
        let code = state.withLock { $0.failing["\(IOError.Operation.remove) \(name)"] }
        if let code { throw IOError(.remove, path: "\(path)/\(name)", code: code) }
    }

    /// Makes all operations fail, or succeed again if the code is `nil`.
    func failEverything(with code: CInt?) {
        state.withLock { $0.code = code }
    }

    func check(
        _ operation: IOError.Operation, _ name: String, in path: String
    ) throws(IOError) {
        beforeOperation.withLock { $0 }?(name)
        let code = state.withLock {
            $0.code ?? $0.failing[name] ?? $0.failingOnce.removeValue(forKey: name)
                ?? $0.failing["\(operation) \(name)"]
        }
        guard let code else { return }
        state.withLock { $0.refusals += 1 }
        throw IOError(operation, path: "\(path)/\(name)", code: code)
    }

    /// Number of operations that have failed.
    var refusalCount: Int { state.withLock { $0.refusals } }
}

/// Real directory whose operations a ``DirectoryWatch`` records.
struct WatchedDirectory: DirectoryProtocol {
    let directory: Directory
    let watch: DirectoryWatch

    var path: String { directory.path }

    func pathStatus() throws(IOError) -> DirectoryPathStatus { try directory.pathStatus() }

    func openSubdirectory(_ name: String) throws(IOError) -> WatchedDirectory? {
        try watch.check(.openDirectory, name, in: path)
        return try directory.openSubdirectory(name).map {
            WatchedDirectory(directory: $0, watch: watch)
        }
    }

    func openOrCreateSubdirectory(_ name: String) throws(IOError) -> WatchedDirectory {
        try watch.check(.createDirectory, name, in: path)
        return WatchedDirectory(
            directory: try directory.openOrCreateSubdirectory(name), watch: watch)
    }

    func names() throws(IOError) -> [String] { try directory.names() }

    func openForReading(_ name: String) throws(IOError) -> WatchedFile? {
        try watch.check(.read, name, in: path)
        return try directory.openForReading(name).map { WatchedFile($0, name, watch, isNew: false) }
    }

    func createFile(_ name: String) throws(IOError) -> WatchedFile {
        try watch.check(.create, name, in: path)
        return WatchedFile(try directory.createFile(name), name, watch, isNew: true)
    }

    func openForAppending(_ name: String) throws(IOError) -> WatchedFile? {
        try watch.check(.open, name, in: path)
        return try directory.openForAppending(name).map {
            WatchedFile($0, name, watch, isNew: false)
        }
    }

    func exchange(_ name: String, with other: String) throws(IOError) {
        try watch.check(.rename, name, in: path)
        try directory.exchange(name, with: other)
    }

    func status(of name: String) throws(IOError) -> FileStatus? { try directory.status(of: name) }

    func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try directory.entryStatus(of: name)
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try watch.check(.rename, newName, in: path)
        try directory.rename(name, to: newName)
        watch.record(newName)
    }

    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool {
        try watch.checkRemoval(of: name, in: path)
        return try directory.remove(name)
    }

    func synchronize() throws(IOError) {
        try watch.check(.synchronizeDirectory, "", in: path)
        try directory.synchronize()
        watch.recordSynchronized(path)
    }
}

/// Real file whose writes a ``DirectoryWatch`` records.
final class WatchedFile: FileProtocol {
    private let file: File
    private let name: String
    private let watch: DirectoryWatch
    /// Whether the next write creates the contents of a new file, which is recorded when the file is renamed.
    private let isNew: Mutex<Bool>

    init(_ file: File, _ name: String, _ watch: DirectoryWatch, isNew: Bool) {
        self.file = file
        self.name = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
        self.watch = watch
        self.isNew = Mutex(isNew)
    }

    var canOverwrite: Bool { file.canOverwrite }

    func write(_ bytes: [UInt8]) throws(IOError) {
        try watch.check(.write, name, in: "")
        try file.write(bytes)
        recordWrite()
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        try watch.check(.write, name, in: "")
        try file.write(bytes, at: offset)
        recordWrite()
    }

    private func recordWrite() {
        let isNew = isNew.withLock { isNew in
            defer { isNew = false }
            return isNew
        }
        if !isNew { watch.record(name) }
    }

    var descriptorBackedFile: File? { file }
    var path: String { file.path }

    func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try file.read(from: offset, upTo: byteCount)
    }

    func status() throws(IOError) -> FileStatus { try file.status() }
    func truncate(to length: Int) throws(IOError) { try file.truncate(to: length) }
    func synchronize() throws(IOError) { try file.synchronize() }

    func synchronizeData() throws(IOError) {
        watch.dataSyncs.continuation.yield()
        try watch.check(.synchronize, "sync of \(name)", in: "")
        if watch.isSyncSkipped() { return }
        try file.synchronizeData()
        watch.recordDataSync()
    }
}
