import Glibc
import LinuxIO
import SavedState

/// User who owns a state directory.
///
/// A process that runs as root writes to the directory as this user. New files then belong to the owner of the
/// directory, and symbolic links in the directory give access only to files that the owner can access.
struct StateDirectoryOwner: StateUser {
    private let path: String
    /// Owner, or `nil` if the process writes as its own user.
    private let owner: DirectoryOwner?

    /// Determines the owner of a state directory.
    ///
    /// - Parameter path: Path of the state directory. If it does not exist, the user of the process will own it.
    init(of path: String) throws(IOError) {
        self.path = path
        owner = try DirectoryOwner(of: path)
        // Root's groups would give access that the owner does not have.
        if owner != nil, setgroups(0, nil) != 0 {
            throw IOError(.becomeOwner, path: path, code: errno)
        }
    }

    /// Calls a closure with the effective user and group of the owner.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        guard let owner else { return try body() }
        guard setegid(owner.groupID) == 0, seteuid(owner.userID) == 0 else {
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
