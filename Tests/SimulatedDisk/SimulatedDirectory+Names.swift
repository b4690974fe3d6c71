import ExactText
import Glibc
package import LinuxIO

extension SimulatedDirectory {
    /// Renames an entry.
    package func rename(_ name: String, to newName: String) throws(IOError) {
        let fullPath = "\(path)/\(name)"
        try disk.perform(.rename, fullPath, other: newName) { contents -> Result<Void, IOError> in
            guard let old = contents.locate(name, from: node),
                let moved = contents.nodes[old.directory].entries[old.name],
                let new = contents.locate(newName, from: node)
            else { return .failure(IOError(.rename, path: fullPath, code: ENOENT)) }
            if let code = contents.refusal(moved, replacing: new) {
                return .failure(IOError(.rename, path: fullPath, code: code))
            }
            if contents.nodes[new.directory].entries[new.name] != moved {
                contents.change(
                    EntryChange([
                        .init(directory: new.directory, name: new.name, node: moved),
                        .init(directory: old.directory, name: old.name, node: nil),
                    ]))
            }
            return .success(())
        }
    }

    /// Exchanges the entries of two names. After a power cut, both or neither are exchanged.
    package func exchange(_ name: String, with other: String) throws(IOError) {
        let fullPath = "\(path)/\(name)"
        try disk.perform(.exchange, fullPath, other: other) { contents -> Result<Void, IOError> in
            guard let first = contents.locate(name, from: node),
                let second = contents.locate(other, from: node),
                let firstNode = contents.nodes[first.directory].entries[first.name],
                let secondNode = contents.nodes[second.directory].entries[second.name]
            else { return .failure(IOError(.rename, path: fullPath, code: ENOENT)) }
            if firstNode != secondNode {
                contents.change(
                    EntryChange(
                        [
                            .init(directory: first.directory, name: first.name, node: secondNode),
                            .init(directory: second.directory, name: second.name, node: firstNode),
                        ], isAtomic: true))
            }
            return .success(())
        }
    }

    /// Removes the name of a file.
    @discardableResult
    package func remove(_ name: String) throws(IOError) -> Bool {
        let fullPath = "\(path)/\(name)"
        return try disk.perform(.remove, fullPath) { contents in
            guard let location = contents.locate(name, from: node),
                let found = contents.nodes[location.directory].entries[location.name]
            else { return .success(false) }
            if contents.nodes[found].isDirectory {
                return .failure(IOError(.remove, path: fullPath, code: EISDIR))
            }
            contents.change(
                EntryChange([.init(directory: location.directory, name: location.name, node: nil)]))
            return .success(true)
        }
    }
}

extension DiskContents {
    /// Returns the error number with which a rename to an existing name fails, or `nil` if the rename is possible.
    fileprivate func refusal(
        _ moved: Int, replacing location: (directory: Int, name: String)
    ) -> CInt? {
        guard let existing = nodes[location.directory].entries[location.name], existing != moved
        else {
            return nil
        }
        switch (nodes[moved].isDirectory, nodes[existing].isDirectory) {
        case (false, true): return EISDIR
        case (true, false): return ENOTDIR
        case (true, true): return nodes[existing].entries.isEmpty ? nil : ENOTEMPTY
        case (false, false): return nil
        }
    }
}
