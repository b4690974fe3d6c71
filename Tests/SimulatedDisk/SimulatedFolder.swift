import ExactText
import Glibc
package import LinuxIO

/// A folder of a ``SimulatedDisk``.
package struct SimulatedFolder: Folder {
    let disk: SimulatedDisk
    let node: Int
    /// The folder's path; the disk's root is `/state`.
    package let path: String

    private func pathOf(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens a folder within this one.
    package func subfolder(_ name: String) throws(IOError) -> SimulatedFolder? {
        let shown = pathOf(name)
        return try disk.perform(.openFolder, shown) { contents in
            guard let found = contents.find(name, from: node) else { return .success(nil) }
            guard contents.nodes[found].isFolder else {
                return .failure(IOError(.openFolder, path: shown, code: ENOTDIR))
            }
            return .success(SimulatedFolder(disk: disk, node: found, path: shown))
        }
    }

    /// Makes a folder within this one, or opens the one that is there.
    package func makeSubfolder(_ name: String) throws(IOError) -> SimulatedFolder {
        let shown = pathOf(name)
        return try disk.perform(.makeFolder, shown) { contents in
            guard let place = contents.locate(name, from: node) else {
                return .failure(IOError(.makeFolder, path: shown, code: ENOENT))
            }
            let found = contents.find(name, from: node)
            if let found, !contents.nodes[found].isFolder {
                return .failure(IOError(.openFolder, path: shown, code: ENOTDIR))
            }
            let folder = found ?? contents.make(place, isFolder: true)
            return .success(SimulatedFolder(disk: disk, node: folder, path: shown))
        }
    }

    /// The names of all entries.
    package func names() throws(IOError) -> [String] {
        try disk.perform(.list, path) { contents in
            .success(contents.nodes[node].entries.sortedKeys)
        }
    }

    /// Creates a file.
    package func createFile(_ name: String) throws(IOError) -> SimulatedFile {
        let shown = pathOf(name)
        return try disk.perform(.create, shown) { contents in
            guard let place = contents.locate(name, from: node) else {
                return .failure(IOError(.create, path: shown, code: ENOENT))
            }
            guard contents.find(name, from: node) == nil else {
                return .failure(IOError(.create, path: shown, code: EEXIST))
            }
            let made = contents.make(place, isFolder: false)
            return .success(SimulatedFile(disk: disk, node: made, path: shown))
        }
    }

    /// Opens a file for reading; a folder, too, as open(2) does.
    package func openForReading(_ name: String) throws(IOError) -> SimulatedFile? {
        try open(name, as: .read) { _ in false }
    }

    /// Opens a file for reading and appending.
    package func openForAppending(_ name: String) throws(IOError) -> SimulatedFile? {
        try open(name, as: .open, isRefused: \.isFolder)
    }

    private func open(
        _ name: String, as kind: DiskOperation.Kind, isRefused: (DiskContents.Node) -> Bool
    ) throws(IOError) -> SimulatedFile? {
        let shown = pathOf(name)
        return try disk.perform(kind, shown) { contents in
            guard let found = contents.find(name, from: node) else { return .success(nil) }
            if isRefused(contents.nodes[found]) {
                return .failure(IOError(.open, path: shown, code: EISDIR))
            }
            return .success(SimulatedFile(disk: disk, node: found, path: shown))
        }
    }

    /// What is under a name.
    package func status(of name: String) throws(IOError) -> FileStatus? {
        try disk.perform(.status, pathOf(name)) { contents in
            .success(contents.find(name, from: node).map { contents.status(of: $0) })
        }
    }

    /// Makes the entries durable, those of this folder alone.
    package func synchronize() throws(IOError) {
        try disk.performSync(.synchronizeFolder, path) { $0.synchronizeFolder(node) }
    }
}
