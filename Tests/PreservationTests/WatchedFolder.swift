import LinuxIO
import Synchronization

/// What happens in a state directory, and what is to fail there.
final class FolderWatch: Sendable {
    private let state = Mutex(
        (events: [String](), synchronized: [String](), failing: [String: CInt]()))

    /// What was done, in order: the events of the files, and what the test adds.
    var events: [String] { state.withLock { $0.events } }

    /// The paths of the folders that were made durable, in order.
    var synchronized: [String] { state.withLock { $0.synchronized } }

    func noteSynchronized(_ path: String) {
        state.withLock { $0.synchronized.append(path) }
    }

    func note(_ event: String) {
        state.withLock { $0.events.append(event) }
    }

    /// Forgets what was done.
    func clear() {
        state.withLock {
            $0.events = []
            $0.synchronized = []
        }
    }

    /// Lets everything fail that is done with files or folders of that name; nil: nothing any more.
    func fail(_ name: String, with code: CInt?) {
        state.withLock { $0.failing[name] = code }
    }

    func check(
        _ operation: IOError.Operation, _ name: String, in path: String
    ) throws(IOError) {
        let code = state.withLock { $0.failing[name] }
        if let code { throw IOError(operation, path: "\(path)/\(name)", code: code) }
    }
}

/// A real folder that tells a ``FolderWatch`` which files are put where.
struct WatchedFolder: Folder {
    let folder: Directory
    let watch: FolderWatch

    var path: String { folder.path }

    func subfolder(_ name: String) throws(IOError) -> WatchedFolder? {
        try folder.subfolder(name).map { WatchedFolder(folder: $0, watch: watch) }
    }

    func makeSubfolder(_ name: String) throws(IOError) -> WatchedFolder {
        try watch.check(.makeFolder, name, in: path)
        return WatchedFolder(folder: try folder.makeSubfolder(name), watch: watch)
    }

    func names() throws(IOError) -> [String] { try folder.names() }

    func read(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try folder.read(name, limit: limit)
    }

    func createFile(_ name: String) throws(IOError) -> File {
        try watch.check(.create, name, in: path)
        return try folder.createFile(name)
    }

    func openForAppending(_ name: String) throws(IOError) -> File? {
        try folder.openForAppending(name)
    }

    func rename(_ name: String, to newName: String) throws(IOError) {
        try watch.check(.rename, newName, in: path)
        try folder.rename(name, to: newName)
        watch.note(newName)
    }

    @discardableResult
    func remove(_ name: String) throws(IOError) -> Bool { try folder.remove(name) }

    func synchronize() throws(IOError) {
        try folder.synchronize()
        watch.noteSynchronized(path)
    }
}
