package import Glibc

/// User and group that own a directory. A process that runs as root can continue as this user.
package struct DirectoryOwner: Sendable {
    package let userID: uid_t
    package let groupID: gid_t

    /// Determines the owner of a directory. Returns `nil` if the process does not run as root, if root owns the
    /// directory, or if the directory does not exist.
    ///
    /// - Throws: The error from stat(2).
    package init?(of path: String) throws(IOError) {
        guard geteuid() == 0 else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            if code == ENOENT { return nil }
            throw IOError(.status, path: path, code: code)
        }
        if status.st_uid == 0 { return nil }
        (userID, groupID) = (status.st_uid, status.st_gid)
    }
}
