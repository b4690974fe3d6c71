import Dispatch
import LinuxIO
import Synchronization
import TestSupport

/// What happens in a state directory, and what is to fail there.
final class FolderWatch: Sendable {
    /// How syncs of data are made.
    enum Syncing: Sendable {
        /// By the disk.
        case real
        /// Not at all: they succeed at once.
        case skipped
        /// By the disk, each after ``FolderWatch/letSync()`` was called for it.
        case blocked
    }

    private let syncing = Mutex(Syncing.real)
    private let syncPermits = DispatchSemaphore(value: 0)
    /// How many syncs have waited for ``letSync()``.
    let blockedSyncs = Awaited(0)

    func setSyncing(_ new: Syncing) { syncing.withLock { $0 = new } }

    /// Lets one sync go on that is blocked, or the next one.
    func letSync() { syncPermits.signal() }

    private let state = Mutex(
        (
            events: [String](), synchronized: [String](), failing: [String: CInt](),
            failingOnce: [String: CInt](),
            code: CInt?.none, dataSyncs: 0, refusals: 0
        ))

    /// Whether a sync is not made; waits for its permission if syncs are blocked.
    fileprivate func isSyncSkipped() -> Bool {
        let syncing = syncing.withLock { $0 }
        if case .blocked = syncing {
            blockedSyncs.change { $0 += 1 }
            syncPermits.wait()
        }
        return syncing == .skipped
    }

    /// Tells of each attempt to make data durable.
    let dataSyncs = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(64))

    /// What was done, in order: the events of the files, and what the test adds.
    var events: [String] { state.withLock { $0.events } }

    /// The paths of the folders that were made durable, in order.
    var synchronized: [String] { state.withLock { $0.synchronized } }

    func noteSynchronized(_ path: String) {
        state.withLock { $0.synchronized.append(path) }
    }

    /// How often data was made durable.
    var dataSyncCount: Int { state.withLock { $0.dataSyncs } }

    func noteDataSync() {
        state.withLock { $0.dataSyncs += 1 }
    }

    func note(_ event: String) {
        // What is noted of launches belongs to no application.
        if event == "launches" { return }
        state.withLock { $0.events.append(event) }
    }

    /// Forgets what was done.
    func clear() {
        state.withLock {
            $0.events = []
            $0.synchronized = []
            $0.dataSyncs = 0
        }
    }

    /// Lets everything fail that is done with files or folders of that name; nil: nothing any more.
    func fail(_ name: String, with code: CInt?) {
        state.withLock { $0.failing[name] = code }
    }

    /// Lets the next thing fail that is done with a file or folder of that name.
    func failOnce(_ name: String, with code: CInt) {
        state.withLock { $0.failingOnce[name] = code }
    }

    /// Lets nothing more be written to files of that name; nil: it can be again.
    func failWriting(_ name: String, with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.write) \(name)"] = code }
    }

    /// Lets no folder be made durable; nil: they can be again.
    func failFolderSyncs(with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.synchronizeFolder) "] = code }
    }

    /// Lets the file of that name not be removed; nil: it can be again.
    func failRemoving(_ name: String, with code: CInt?) {
        state.withLock { $0.failing["\(IOError.Operation.remove) \(name)"] = code }
    }

    func checkRemoval(of name: String, in path: String) throws(IOError) {
        let code = state.withLock { $0.failing["\(IOError.Operation.remove) \(name)"] }
        if let code { throw IOError(.remove, path: "\(path)/\(name)", code: code) }
    }

    /// Lets everything fail; nil: nothing any more.
    func failEverything(with code: CInt?) {
        state.withLock { $0.code = code }
    }

    func check(
        _ operation: IOError.Operation, _ name: String, in path: String
    ) throws(IOError) {
        let code = state.withLock {
            $0.code ?? $0.failing[name] ?? $0.failingOnce.removeValue(forKey: name)
                ?? $0.failing["\(operation) \(name)"]
        }
        guard let code else { return }
        state.withLock { $0.refusals += 1 }
        throw IOError(operation, path: "\(path)/\(name)", code: code)
    }

    /// How often something failed.
    var refusalCount: Int { state.withLock { $0.refusals } }
}

/// A real folder that tells a ``FolderWatch`` which files are put where.
struct WatchedFolder: Folder {
    let folder: Directory
    let watch: FolderWatch

    var path: String { folder.path }

    func pathStatus() throws(IOError) -> FolderPathStatus { try folder.pathStatus() }

    func subfolder(_ name: String) throws(IOError) -> WatchedFolder? {
        try watch.check(.openFolder, name, in: path)
        return try folder.subfolder(name).map { WatchedFolder(folder: $0, watch: watch) }
    }

    func makeSubfolder(_ name: String) throws(IOError) -> WatchedFolder {
        try watch.check(.makeFolder, name, in: path)
        return WatchedFolder(folder: try folder.makeSubfolder(name), watch: watch)
    }

    func names() throws(IOError) -> [String] { try folder.names() }

    func openForReading(_ name: String) throws(IOError) -> WatchedFile? {
        try watch.check(.read, name, in: path)
        return try folder.openForReading(name).map { WatchedFile($0, name, watch, isNew: false) }
    }

    func createFile(_ name: String) throws(IOError) -> WatchedFile {
        try watch.check(.create, name, in: path)
        return WatchedFile(try folder.createFile(name), name, watch, isNew: true)
    }

    func openForAppending(_ name: String) throws(IOError) -> WatchedFile? {
        try watch.check(.open, name, in: path)
        return try folder.openForAppending(name).map { WatchedFile($0, name, watch, isNew: false) }
    }

    func exchange(_ name: String, with other: String) throws(IOError) {
        try watch.check(.rename, name, in: path)
        try folder.exchange(name, with: other)
    }

    func status(of name: String) throws(IOError) -> FileStatus? { try folder.status(of: name) }

    func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try folder.entryStatus(of: name)
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try watch.check(.rename, newName, in: path)
        try folder.rename(name, to: newName)
        watch.note(newName)
    }

    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool {
        try watch.checkRemoval(of: name, in: path)
        return try folder.remove(name)
    }

    func synchronize() throws(IOError) {
        try watch.check(.synchronizeFolder, "", in: path)
        try folder.synchronize()
        watch.noteSynchronized(path)
    }
}

/// A real file that tells a ``FolderWatch`` what is appended to it.
final class WatchedFile: FolderFile {
    private let file: File
    private let name: String
    private let watch: FolderWatch
    /// Whether the next write makes the content of a new file, which is told when it gets its name.
    private let isNew: Mutex<Bool>

    init(_ file: File, _ name: String, _ watch: FolderWatch, isNew: Bool) {
        self.file = file
        self.name = name.hasSuffix(".new") ? String(name.dropLast(4)) : name
        self.watch = watch
        self.isNew = Mutex(isNew)
    }

    var canOverwrite: Bool { file.canOverwrite }

    func write(_ bytes: [UInt8]) throws(IOError) {
        try watch.check(.write, name, in: "")
        try file.write(bytes)
        noteWrite()
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        try watch.check(.write, name, in: "")
        try file.write(bytes, at: offset)
        noteWrite()
    }

    private func noteWrite() {
        let isNew = isNew.withLock { isNew in
            defer { isNew = false }
            return isNew
        }
        if !isNew { watch.note(name) }
    }

    var kernelFile: File? { file }
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
        watch.noteDataSync()
    }
}
