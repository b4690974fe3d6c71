import Glibc

/// An opened folder; what is done through it happens in that folder even if it is renamed or
/// another one takes its name.
///
/// Names are single components, or paths relative to the folder. Folders are made with mode 0700,
/// files with 0600. Closed when the last reference to it goes away, which frees its lock.
package final class Directory: Sendable {
    /// The path it was opened by, for errors.
    package let path: String
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens a folder by its path; `nil` if there is none.
    package static func open(_ path: String) throws(IOError) -> Directory? {
        try open(path, in: AT_FDCWD, shownAs: path)
    }

    /// Opens a folder by its path, and makes it and every missing folder above it first.
    ///
    /// What is made is durable on return.
    package static func openOrMake(_ path: String) throws(IOError) -> Directory {
        if let folder = try open(path) { return folder }
        let isAbsolute = path.hasPrefix("/")
        let start = isAbsolute ? "/" : "."
        guard var folder = try open(start) else {
            throw IOError(.openFolder, path: start, code: ENOENT)
        }
        var shown = isAbsolute ? "/" : ""
        for component in path.split(separator: "/") where component != "." {
            if !shown.isEmpty && !shown.hasSuffix("/") { shown += "/" }
            shown += component
            folder = try folder.openOrMakeSubfolder(String(component), shownAs: shown)
        }
        return folder
    }

    /// Opens a folder within this one; `nil` if there is none.
    package func subfolder(_ name: String) throws(IOError) -> Directory? {
        try Self.open(name, in: descriptor.rawValue, shownAs: pathOf(name))
    }

    /// Makes a folder within this one, unless it is there, and opens it.
    ///
    /// It is durable only after ``synchronize()`` of this folder.
    package func makeSubfolder(_ name: String) throws(IOError) -> Directory {
        let shown = pathOf(name)
        do throws(IOError) {
            try IOError.check(.makeFolder, path: shown) {
                mkdirat(descriptor.rawValue, name, 0o700)
            }
        } catch  where error.code == EEXIST {
            // Somebody was faster, or it has been there all the time: opening it tells.
        }
        guard let folder = try subfolder(name) else {
            throw IOError(.openFolder, path: shown, code: ENOENT)
        }
        return folder
    }

    /// Returns when the folder's entries are durable, see fsync(2).
    package func synchronize() throws(IOError) {
        try IOError.check(.synchronizeFolder, path: path) { fsync(descriptor.rawValue) }
    }

    func pathOf(_ name: String) -> String {
        path.hasSuffix("/") ? path + name : path + "/" + name
    }

    private func openOrMakeSubfolder(
        _ name: String, shownAs shown: String
    ) throws(IOError) -> Directory {
        if let folder = try Self.open(name, in: descriptor.rawValue, shownAs: shown) {
            return folder
        }
        let made = try makeSubfolder(name)
        try synchronize()
        return made
    }

    private static func open(
        _ name: String, in folder: CInt, shownAs shown: String
    ) throws(IOError) -> Directory? {
        let number = try IOError.checkExisting(.openFolder, path: shown) {
            openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let number else { return nil }
        return Directory(OwnedDescriptor(number), path: shown)
    }
}

extension Directory {
    /// What the path that the folder was opened by stands for now.
    ///
    /// A folder mounted a second time on its own path is the same one.
    package func standing() throws(IOError) -> FolderStanding {
        var own = stat()
        try IOError.check(.status, path: path) { fstat(descriptor.rawValue, &own) }
        if own.st_nlink == 0 { return .removed }
        var there = stat()
        do throws(IOError) {
            guard
                try IOError.checkExisting(.status, path: path, { stat(path, &there) }) != nil
            else { return .other }
        } catch  where [ENOTDIR, ELOOP].contains(error.code) {
            return .other
        }
        return FileStatus(there).isSameFile(as: FileStatus(own)) ? .same : .other
    }
}
