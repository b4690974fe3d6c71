import CLinux
import Glibc
public import Varlink

/// Listening socket that this process bound to a path or inherited.
struct ListeningSocket: Sendable {
    /// Device and inode of a socket's file.
    struct FileIdentity: Sendable, Equatable {
        let device: dev_t
        let inode: ino_t
    }

    /// Kind of file at a path.
    enum SocketFileKind: Sendable, Equatable {
        case socket(FileIdentity)
        /// No file, or a file that is not a socket.
        case notASocket
        /// Unknown, because the process has no permission to examine the path.
        case inaccessible

        init(at path: String) {
            var status = stat()
            if lstat(path, &status) != 0 {
                self = errno == ENOENT || errno == ENOTDIR ? .notASocket : .inaccessible
            } else if status.st_mode & S_IFMT == S_IFSOCK {
                self = .socket(FileIdentity(device: status.st_dev, inode: status.st_ino))
            } else {
                self = .notASocket
            }
        }
    }

    let descriptor: CInt
    /// Path to which the socket is bound, or `nil` for an inherited socket without a path.
    let path: String?
    /// Kind of file at the path when the server began to listen, or `nil` for a socket without a path.
    private let originalFileKind: SocketFileKind?
    /// Whether this process created the file. The file of an inherited socket belongs to the process that bound the
    /// socket.
    let ownsFile: Bool

    /// Adopts a socket that another process has bound, for example a socket that systemd created for a socket unit.
    init(inherited descriptor: CInt) throws(ListenError) {
        guard Self.socketOption(linux_so_domain, of: descriptor) == AF_UNIX,
            Self.socketOption(SO_TYPE, of: descriptor) == CInt(SOCK_STREAM.rawValue),
            Self.socketOption(linux_so_acceptconn, of: descriptor) == 1
        else { throw .notListening(descriptor: descriptor) }
        self.descriptor = descriptor
        path = UnixAddress.path(of: descriptor)
        originalFileKind = path.map {
            Self.isAbandonedSocket($0) ? .notASocket : SocketFileKind(at: $0)
        }
        ownsFile = false
    }

    /// Whether clients that connect to the path reach this socket. A socket without a path counts as reachable.
    var isReachable: Bool {
        guard let path, let originalFileKind, originalFileKind != .inaccessible else { return true }
        let currentFileKind = SocketFileKind(at: path)
        return currentFileKind == .inaccessible
            || currentFileKind == originalFileKind && originalFileKind != .notASocket
    }

    /// Returns whether this socket is bound to the path of an earlier socket.
    func replaces(_ earlierSocket: ListeningSocket) -> Bool {
        guard let path, let earlierPath = earlierSocket.path else { return false }
        return path.utf8.elementsEqual(earlierPath.utf8)
    }

    /// Removes the file if this process created it and the path still leads to it.
    ///
    /// - Returns: The error if the removal failed, or `nil` otherwise.
    func removeFile() -> SocketError? {
        guard ownsFile, let path, SocketFileKind(at: path) == originalFileKind else { return nil }
        guard unlink(path) == 0 || errno == ENOENT else {
            return SocketError(call: "unlink", errno: errno)
        }
        return nil
    }

    /// Binds a socket to a path and listens.
    ///
    /// If no process accepts connections on an existing socket at the path, the new socket replaces it. If two
    /// processes may bind the same path at the same time, the caller must hold a lock, because a socket appears to be
    /// abandoned between bind(2) and listen(2).
    /// - Parameter mode: The permissions of the file. No client can connect before they are set.
    init(path: String, mode: mode_t) throws(ListenError) {
        try Self.prepareToBind(at: path)
        let descriptor = try Self.makeSocket(path)
        var isBound = false
        do throws(ListenError) {
            guard UnixAddress.bindSocket(descriptor, to: path) == 0 else {
                throw errno == EADDRINUSE ? .inUse(path: path) : .systemCallFailed("bind", path)
            }
            isBound = true
            guard chmod(path, mode) == 0 else { throw .systemCallFailed("chmod", path) }
            let originalFileKind = SocketFileKind(at: path)
            guard case .socket = originalFileKind else { throw .systemCallFailed("lstat", path) }
            guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
                throw .systemCallFailed("listen", path)
            }
            self.descriptor = descriptor
            self.path = path
            self.originalFileKind = originalFileKind
            ownsFile = true
        } catch {
            close(descriptor)
            if isBound { unlink(path) }
            throw error
        }
    }

    /// Checks that a socket can be bound to a path, and removes any abandoned socket at the path.
    static func prepareToBind(at path: String) throws(ListenError) {
        guard UnixAddress.isValidPath(path) else { throw .badPathLength(path: path) }
        try removeAbandonedSocket(path)
    }

    private static func socketOption(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func makeSocket(_ path: String) throws(ListenError) -> CInt {
        let socketType = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, socketType, 0)
        guard descriptor >= 0 else { throw .systemCallFailed("socket", path) }
        return descriptor
    }

    /// Returns whether the path leads to a socket that refuses connections, for example because its process was killed.
    private static func isAbandonedSocket(_ path: String) -> Bool {
        do throws(ListenError) { return try connectError(at: path) == ECONNREFUSED } catch {
            return false
        }
    }

    /// Connects to a path. Returns the errno of the failure, or 0 if a socket at the path accepted the connection.
    private static func connectError(at path: String) throws(ListenError) -> CInt {
        let descriptor = try makeSocket(path)
        defer { close(descriptor) }
        return UnixAddress.connectSocket(descriptor, to: path) == 0 ? 0 : errno
    }

    /// Removes the socket at the path if it refuses connections. Throws an error if the socket is in use or the path
    /// leads to any other file.
    private static func removeAbandonedSocket(_ path: String) throws(ListenError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .systemCallFailed("lstat", path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        let errorNumber = try connectError(at: path)
        switch errorNumber {
        case ENOENT: return
        case 0, EAGAIN, EINPROGRESS, EPROTOTYPE: throw .inUse(path: path)
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .systemCallFailed("unlink", path)
            }
        default: throw .system(SocketError(call: "connect", errno: errorNumber), path: path)
        }
    }
}

/// Error thrown if a server cannot listen on a socket.
public enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path is empty or has more bytes than the system allows. Source: unix(7), `sun_path`.
    case badPathLength(path: String)
    /// The file at the path is not a socket. The server did not change the file.
    case notASocket(path: String)
    /// Another process accepts connections at the path.
    case inUse(path: String)
    /// The inherited descriptor is not a listening Unix stream socket.
    case notListening(descriptor: CInt)
    /// A system call failed.
    case system(SocketError, path: String)
    /// The server was already stopped.
    case stopped

    /// Creates the error for a system call that has just failed.
    fileprivate static func systemCallFailed(_ call: String, _ path: String) -> Self {
        .system(SocketError(call: call, errno: errno), path: path)
    }

    /// Sentence that states what failed, at which path, and what to do.
    public var description: String {
        switch self {
        case .badPathLength(let path):
            "The socket path \"\(path)\" has \(path.utf8.count) bytes, but must have 1 to \(UnixAddress.maximumPathLength); choose another path."
        case .notASocket(let path):
            "The file at \"\(path)\" is not a socket and was not changed; remove it or choose "
                + "another path."
        case .inUse(let path):
            "The socket \"\(path)\" is in use by another daemon; stop that daemon or choose another path."
        case .notListening(let descriptor):
            "The inherited descriptor \(descriptor) is not a listening Unix stream socket; the socket unit must have ListenStream= with a path and Accept=no."
        case .system(let error, let path):
            "Cannot listen on \"\(path)\": \(error); check that the directory exists and is "
                + "writable."
        case .stopped: "The server was stopped; create a new server to listen again."
        }
    }
}
