import ExactText
import Glibc
package import LinuxIO

/// Directory of a ``SimulatedDisk``.
package struct SimulatedDirectory: DirectoryProtocol {
    let disk: SimulatedDisk
    let node: Int
    /// Path of the directory. The path of the root is `/state`.
    package let path: String

    private func pathOf(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens a subdirectory.
    package func openSubdirectory(_ name: String) throws(IOError) -> SimulatedDirectory? {
        let fullPath = pathOf(name)
        return try disk.perform(.openDirectory, fullPath) { contents in
            guard let found = contents.find(name, from: node) else { return .success(nil) }
            guard contents.nodes[found].isDirectory else {
                return .failure(IOError(.openDirectory, path: fullPath, code: ENOTDIR))
            }
            return .success(SimulatedDirectory(disk: disk, node: found, path: fullPath))
        }
    }

    /// Creates a subdirectory, or opens an existing one.
    package func openOrCreateSubdirectory(_ name: String) throws(IOError) -> SimulatedDirectory {
        let fullPath = pathOf(name)
        return try disk.perform(.createDirectory, fullPath) { contents in
            guard let location = contents.locate(name, from: node) else {
                return .failure(IOError(.createDirectory, path: fullPath, code: ENOENT))
            }
            let found = contents.find(name, from: node)
            if let found, !contents.nodes[found].isDirectory {
                return .failure(IOError(.openDirectory, path: fullPath, code: ENOTDIR))
            }
            let directory = found ?? contents.makeNode(location, isDirectory: true)
            return .success(SimulatedDirectory(disk: disk, node: directory, path: fullPath))
        }
    }

    /// Returns the names of all entries.
    package func names() throws(IOError) -> [String] {
        try disk.perform(.list, path) { contents in
            .success(contents.nodes[node].entries.sortedKeys)
        }
    }

    /// Creates a file.
    package func createFile(_ name: String) throws(IOError) -> SimulatedFile {
        let fullPath = pathOf(name)
        return try disk.perform(.create, fullPath) { contents in
            guard let location = contents.locate(name, from: node) else {
                return .failure(IOError(.create, path: fullPath, code: ENOENT))
            }
            guard contents.find(name, from: node) == nil else {
                return .failure(IOError(.create, path: fullPath, code: EEXIST))
            }
            let created = contents.makeNode(location, isDirectory: false)
            return .success(SimulatedFile(disk: disk, node: created, path: fullPath))
        }
    }

    /// Opens a file for reading. Like open(2), it also opens a directory.
    package func openForReading(_ name: String) throws(IOError) -> SimulatedFile? {
        try open(name, as: .read) { _ in false }
    }

    /// Opens a file for reading and appending.
    package func openForAppending(_ name: String) throws(IOError) -> SimulatedFile? {
        try open(name, as: .open, isRefused: \.isDirectory)
    }

    private func open(
        _ name: String, as kind: DiskOperation.Kind, isRefused: (DiskContents.Node) -> Bool
    ) throws(IOError) -> SimulatedFile? {
        let fullPath = pathOf(name)
        return try disk.perform(kind, fullPath) { contents in
            guard let found = contents.find(name, from: node) else { return .success(nil) }
            if isRefused(contents.nodes[found]) {
                return .failure(IOError(.open, path: fullPath, code: EISDIR))
            }
            return .success(SimulatedFile(disk: disk, node: found, path: fullPath))
        }
    }

    /// Returns the status of an entry.
    package func status(of name: String) throws(IOError) -> FileStatus? {
        try disk.perform(.status, pathOf(name)) { contents in
            .success(contents.find(name, from: node).map { contents.status(of: $0) })
        }
    }

    /// Makes the entries of this directory durable, but not the entries of other directories.
    package func synchronize() throws(IOError) {
        try disk.performSync(.synchronizeDirectory, path) { $0.synchronizeDirectory(node) }
    }
}
