/// Why a server cannot listen on a socket.
package enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
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

    /// One sentence: what, where, and what to do.
    package var description: String {
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
