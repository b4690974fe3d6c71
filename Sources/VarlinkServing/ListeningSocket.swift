import CLinux
import Glibc
public import Varlink

/// A socket that this process bound at a path, or inherited listening.
struct ListeningSocket: Sendable {
    /// The file that was made at a path by binding.
    struct File: Sendable {
        let path: String
        let device: dev_t
        let inode: ino_t
    }

    let descriptor: CInt

    /// What to remove at the end; nil for an inherited socket, whose file belongs to somebody else.
    let file: File?

    /// Takes a socket that somebody else bound, as systemd does for a socket unit.
    init(inherited descriptor: CInt) throws(ListenError) {
        guard Self.option(linux_so_domain, of: descriptor) == AF_UNIX,
            Self.option(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
            Self.option(linux_so_acceptconn, of: descriptor) == 1
        else { throw .notListening(descriptor: descriptor) }
        self.descriptor = descriptor
        file = nil
    }

    /// Binds a socket at a path and listens.
    ///
    /// A socket that nobody accepts on any more is replaced. Two processes that do this at the same
    /// time must be kept apart by the caller's lock: between bind and listen a socket looks
    /// abandoned.
    /// - Parameter mode: The permissions of the file; nobody can connect before they are set.
    init(path: String, mode: mode_t) throws(ListenError) {
        try Self.makeRoom(at: path)
        let descriptor = try Self.makeSocket(path)
        var isBound = false
        do throws(ListenError) {
            guard UnixAddress.bindSocket(descriptor, to: path) == 0 else {
                throw errno == EADDRINUSE ? .inUse(path: path) : .failed("bind", path)
            }
            isBound = true
            var status = stat()
            guard chmod(path, mode) == 0 else { throw .failed("chmod", path) }
            guard lstat(path, &status) == 0 else { throw .failed("lstat", path) }
            guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw .failed("listen", path) }
            self.descriptor = descriptor
            file = File(path: path, device: status.st_dev, inode: status.st_ino)
        } catch {
            close(descriptor)
            if isBound { unlink(path) }
            throw error
        }
    }

    /// Refuses a path at which no socket can be made, and removes an abandoned socket.
    static func makeRoom(at path: String) throws(ListenError) {
        guard UnixAddress.fits(path) else { throw .badPathLength(path: path) }
        try removeAbandoned(path)
    }

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func makeSocket(_ path: String) throws(ListenError) -> CInt {
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw .failed("socket", path) }
        return descriptor
    }

    /// Removes a socket at the path if connecting to it is refused; anything else there is an
    /// error.
    private static func removeAbandoned(_ path: String) throws(ListenError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .failed("lstat", path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let descriptor = try makeSocket(path)
        defer { close(descriptor) }
        if UnixAddress.connectSocket(descriptor, to: path) == 0 {
            throw .inUse(path: path)
        }
        switch errno {
        case ENOENT: return
        case EAGAIN, EINPROGRESS, EPROTOTYPE: throw .inUse(path: path)
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else { throw .failed("unlink", path) }
        default: throw .failed("connect", path)
        }
    }
}

extension ListeningSocket.File {
    /// Removes the file if it is still the one that was made.
    /// - Returns: The error of a removal that failed, nil otherwise.
    func remove() -> SocketError? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else {
            return nil
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            return SocketError(call: "unlink", errno: errno)
        }
        return nil
    }
}

/// Why a server cannot listen on a socket.
public enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty or has more bytes than the system allows. Source: unix(7), `sun_path`.
    case badPathLength(path: String)
    /// Something that is not a socket is at the path; it was left as it is.
    case notASocket(path: String)
    /// Another process accepts connections at the path.
    case inUse(path: String)
    /// The inherited descriptor is not a listening Unix stream socket.
    case notListening(descriptor: CInt)
    /// A system call failed.
    case system(SocketError, path: String)
    /// The server was stopped before.
    case stopped

    /// A system call failed just now.
    fileprivate static func failed(_ call: String, _ path: String) -> Self {
        .system(SocketError(call: call, errno: errno), path: path)
    }

    /// One sentence: what, where, and what to do.
    public var description: String {
        switch self {
        case .badPathLength(let path):
            "The socket path \"\(path)\" has \(path.utf8.count) bytes, but must have 1 to \(UnixAddress.maximumPathLength); choose another path."
        case .notASocket(let path):
            "There is something else than a socket at \"\(path)\", and it was left untouched; remove it or choose another path."
        case .inUse(let path):
            "The socket \"\(path)\" is in use by another daemon; stop that one or choose another path."
        case .notListening(let descriptor):
            "The inherited descriptor \(descriptor) is not a listening Unix stream socket; the socket unit must have ListenStream= with a path and Accept=no."
        case .system(let error, let path):
            "Cannot listen at \"\(path)\": \(error); check that the folder exists and may be written."
        case .stopped: "The server was stopped; make a new one to listen again."
        }
    }
}
