extension Folder {
    /// Puts a whole new file in the place of the one of that name, if there is one.
    ///
    /// Writes a temporary file beside it, makes it durable, renames it and makes the folder
    /// durable. After an error the name holds either the old or the new content, whole.
    ///
    /// - Parameter temporary: the name of the temporary file; a left-over one is removed first.
    package func replace(
        _ name: String, with bytes: [UInt8], temporary: String
    ) throws(IOError) {
        try remove(temporary)
        do throws(IOError) {
            try writeNew(temporary, bytes)
            try rename(temporary, to: name)
        } catch {
            // The first error is the one to report; what stays is removed by the next attempt.
            do { try remove(temporary) } catch {}
            throw error
        }
        try synchronize()
    }

    /// Creates a file with this content, durable but for its name.
    ///
    /// After an error a part of it may be left.
    package func writeNew(_ name: String, _ bytes: [UInt8]) throws(IOError) {
        let file = try createFile(name)
        try file.write(bytes)
        try file.synchronize()
    }
}
