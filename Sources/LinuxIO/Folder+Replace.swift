extension Folder {
    /// Puts a whole new file in the place of the one of that name, if there is one.
    ///
    /// Writes a temporary file beside it, makes it durable, renames it and makes the folder
    /// durable. After an error the name holds either the old or the new content, whole.
    ///
    /// - Parameter temporary: the name of the temporary file; a left-over one is removed first.
    /// - Parameter willRename: is told of the new file before it gets the name; what it throws keeps
    ///   the name as it is.
    /// - Returns: the new file, open.
    @discardableResult
    package func replace(
        _ name: String, with bytes: [UInt8], temporary: String,
        willRename: ((FileStatus) throws(IOError) -> Void)? = nil
    ) throws(IOError) -> File {
        try remove(temporary)
        let file: File
        do throws(IOError) {
            file = try writeNew(temporary, bytes)
            if let willRename { try willRename(file.status()) }
            try rename(temporary, to: name)
        } catch {
            // The first error is the one to report; what stays is removed by the next attempt.
            do { try remove(temporary) } catch {}
            throw error
        }
        try synchronize()
        return file
    }

    /// Creates a file with this content, durable but for its name.
    ///
    /// After an error a part of it may be left.
    ///
    /// - Returns: the file, open.
    @discardableResult
    package func writeNew(_ name: String, _ bytes: [UInt8]) throws(IOError) -> File {
        let file = try createFile(name)
        try file.write(bytes)
        try file.synchronize()
        return file
    }
}
