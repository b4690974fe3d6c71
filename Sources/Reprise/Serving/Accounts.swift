import Glibc

/// The system's database of users and groups, which can also contain the accounts of a directory service.
enum Accounts {
    /// Error for a user or a group that could not be looked up.
    struct LookupError: Error, Equatable {
        let errno: CInt
    }

    /// Sizes of the buffers for an entry, in bytes.
    ///
    /// The entry of a group contains the names of all members.
    private static let bufferSizes = [16 << 10, 256 << 10, 4 << 20, 64 << 20]

    /// Returns the numeric identifier of a group, or `nil` if no group has this name.
    static func groupID(named name: String) throws(LookupError) -> gid_t? {
        try lookUp { buffer, size in
            var entry = group()
            var match: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, buffer, size, &match)
            return (code, match.map { $0.pointee.gr_gid })
        }
    }

    /// Returns the numeric identifiers of a user and of the user's primary group, or `nil` if no user has this name.
    static func user(named name: String) throws(LookupError) -> (id: uid_t, groupID: gid_t)? {
        try lookUp { buffer, size in
            var entry = passwd()
            var match: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, buffer, size, &match)
            return (code, match.map { ($0.pointee.pw_uid, $0.pointee.pw_gid) })
        }
    }

    /// Calls a function of the database with buffers of increasing size, until the entry fits.
    ///
    /// - Parameter query: A closure that returns the function's error number, or 0, and the values from the entry, or
    ///   `nil` if there is no such entry.
    static func lookUp<Value>(
        _ query: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> (
            errno: CInt, value: Value?
        )
    ) throws(LookupError) -> Value? {
        for size in bufferSizes {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (code, value) = query(buffer, size)
            switch code {
            // The last two errors can also mean that the entry does not exist (see getgrnam_r(3)).
            case 0, ENOENT, ESRCH: return value
            case ERANGE, EINTR: continue
            default: throw LookupError(errno: code)
            }
        }
        throw LookupError(errno: ERANGE)
    }
}
