import Glibc

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
