/// The little that reading a configuration needs of a file system.
///
/// "Missing" means that the path names nothing, also because a folder on the way is missing or is
/// no folder.
package protocol ConfigurationFiles: Sendable {
    /// Reads a whole file.
    ///
    /// - Parameter limit: The most bytes that are read; a larger file is an error.
    /// - Throws: ``FileReadError`` with the path.
    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8]

    /// The names of what lies in a folder, in any order, without `.` and `..`.
    ///
    /// - Throws: ``FileReadError`` with the path.
    func names(in folder: String) throws(FileReadError) -> [String]
}

/// Why a file or a folder could not be read.
package struct FileReadError: Error, Sendable, Equatable {
    /// What stood in the way.
    package enum Reason: Sendable, Equatable {
        /// The path names nothing.
        case missing
        /// A file was asked for and the path names a folder.
        case isFolder
        /// A file was asked for and the path names a pipe, a socket or a device.
        case notAFile
        /// The file has more bytes than this limit.
        case tooLarge(limit: Int)
        /// The system refused; its `errno`.
        case system(errno: Int32)
    }

    /// The path as it was asked for.
    package let path: String
    /// What stood in the way.
    package let reason: Reason

    /// Makes an error.
    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}
