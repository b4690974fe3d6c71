import CSystemd
import Glibc

/// Sockets that a socket unit passed to this process, with the names from `FileDescriptorName=`.
///
/// A value owns its sockets until they are removed, and closes the remaining sockets when it is destroyed. All sockets
/// are close-on-exec, and the variables that announced them are removed from the environment.
package struct ListenSockets: ~Copyable {
    private var passedSockets: [(name: String, descriptor: CInt)]

    /// Adopts the sockets from the environment (`sd_listen_fds_with_names(3)`).
    ///
    /// The value is empty if `$LISTEN_PID` is the ID of another process, or if this process has already created a
    /// `ListenSockets` value. Create the value before the process starts other threads, because the initializer changes
    /// the environment.
    ///
    /// - Throws: ``SystemdError`` if the environment is malformed or announces more sockets than were passed.
    package init() throws(SystemdError) {
        passedSockets = []
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else {
            throw SystemdError(operation: .adoptSockets, errno: -count)
        }
        guard count > 0, let names else { return }
        for index in 0..<Int(count) {
            guard let name = names[index] else { break }
            passedSockets.append((String(cString: name), SD_LISTEN_FDS_START + CInt(index)))
            free(name)
        }
        free(names)
    }

    /// Names of the remaining sockets, in the order in which they were passed.
    ///
    /// If `FileDescriptorName=` is not set, the name is the name of the socket unit. If the environment contains no
    /// names, every name is `unknown`.
    package var names: [String] { passedSockets.map(\.name) }

    /// Removes and returns the listening `AF_UNIX` stream sockets with the given name, in the order in which they were
    /// passed.
    ///
    /// - Returns: The descriptors, which the caller must close, or an empty array if no socket has this name.
    /// - Throws: ``SystemdError`` with `ENOTSOCK` or `EPROTOTYPE` if a descriptor with this name is not a listening
    ///   `AF_UNIX` stream socket. In that case, all descriptors with the name remain in this value.
    package mutating func consumeListeners(named name: String) throws(SystemdError) -> [CInt] {
        let descriptors = passedSockets.filter { $0.name == name }.map(\.descriptor)
        for descriptor in descriptors {
            let result = sd_is_socket(descriptor, AF_UNIX, Self.streamSocketType, 1)
            if result < 0 {
                throw SystemdError(operation: .useListener(name: name), errno: -result)
            }
            guard result > 0 else {
                let isSocket = sd_is_socket(descriptor, AF_UNSPEC, 0, -1) > 0
                throw SystemdError(
                    operation: .useListener(name: name), errno: isSocket ? EPROTOTYPE : ENOTSOCK)
            }
        }
        passedSockets.removeAll { $0.name == name }
        return descriptors
    }

    /// Removes and returns all listening `AF_UNIX` stream sockets, regardless of their names.
    ///
    /// - Returns: The descriptors, which the caller must close.
    package mutating func consumeListeners() -> [CInt] {
        let descriptors = passedSockets.map(\.descriptor).filter {
            sd_is_socket($0, AF_UNIX, Self.streamSocketType, 1) > 0
        }
        passedSockets.removeAll { descriptors.contains($0.descriptor) }
        return descriptors
    }

    private static let streamSocketType = CInt(SOCK_STREAM.rawValue)

    deinit {
        // Descriptors that are not sockets remain open. If the manager announced a descriptor without passing it, the
        // descriptor may belong to a file that this process has opened.
        for socket in passedSockets where sd_is_socket(socket.descriptor, AF_UNSPEC, 0, -1) > 0 {
            close(socket.descriptor)
        }
    }
}
