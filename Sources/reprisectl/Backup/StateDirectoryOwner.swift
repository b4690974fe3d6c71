import Glibc
import LinuxIO
import SavedState

/// User who owns a state directory.
///
/// A root process writes to the directory as this user. New files then belong to the owner of the directory, and
/// symbolic links in the directory give access only to files that the owner can access.
struct StateDirectoryOwner: StateUser {
    private let path: String
    /// User and group, or `nil` if the process writes as its own user.
    private let user: (uid: uid_t, gid: gid_t)?

    /// Determines the owner of a state directory.
    ///
    /// - Parameter path: Path of the state directory. If it does not exist, the user of the process will own it.
    init(of path: String) throws(IOError) {
        self.path = path
        var status = stat()
        guard geteuid() == 0 else {
            user = nil
            return
        }
        guard stat(path, &status) == 0 else {
            let code = errno
            if code != ENOENT { throw IOError(.status, path: path, code: code) }
            user = nil
            return
        }
        user = status.st_uid == 0 ? nil : (status.st_uid, status.st_gid)
        // Root's groups would give access that the owner does not have.
        if user != nil, setgroups(0, nil) != 0 {
            throw IOError(.becomeOwner, path: path, code: errno)
        }
    }

    /// Calls a closure with the effective user and group of the owner.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        guard let user else { return try body() }
        guard setegid(user.gid) == 0, seteuid(user.uid) == 0 else {
            let code = errno
            _ = setegid(0)
            throw IOError(.becomeOwner, path: path, code: code)
        }
        defer {
            // Both calls always succeed, because the real and the saved user remain root.
            _ = seteuid(0)
            _ = setegid(0)
        }
        return try body()
    }
}
