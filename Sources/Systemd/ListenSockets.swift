import CSystemd
import Glibc

/// The sockets that a socket unit passed to this process, by the name of `FileDescriptorName=`.
///
/// The value owns every socket that was not taken from it, and closes it in the end. All are close-on-exec, and the variables that announced them are gone from the environment.
package struct ListenSockets: ~Copyable {
    private var passed: [(name: String, descriptor: CInt)]

    /// Takes the sockets over from the environment (`sd_listen_fds_with_names(3)`).
    ///
    /// The second call of a process, and one whose `$LISTEN_PID` is another, finds none. Call it
    /// before there are other threads, since it changes the environment.
    ///
    /// - Throws: ``SystemdFailure`` if the environment is malformed or names too few sockets.
    package init() throws(SystemdFailure) {
        passed = []
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        guard count >= 0 else {
            throw SystemdFailure(operation: .listenSockets, errno: -count)
        }
        guard count > 0, let names else { return }
        for index in 0..<Int(count) {
            guard let name = names[index] else { break }
            passed.append((String(cString: name), SD_LISTEN_FDS_START + CInt(index)))
            free(name)
        }
        free(names)
    }

    /// The names of the sockets that were not taken yet, in the order they were passed.
    ///
    /// A socket without a name of its own has its unit's, and `unknown` if nothing was said.
    package var names: [String] { passed.map(\.name) }

    /// Hands over the listening `AF_UNIX` stream sockets of one name, in the order they were
    /// passed.
    ///
    /// - Returns: Descriptors that the caller closes; empty if there is none of this name.
    /// - Throws: ``SystemdFailure`` with `ENOTSOCK` or `EPROTOTYPE` if one of them is something
    ///   else; then all of that name stay here.
    package mutating func takeListeners(named name: String) throws(SystemdFailure) -> [CInt] {
        let descriptors = passed.filter { $0.name == name }.map(\.descriptor)
        for descriptor in descriptors {
            let result = sd_is_socket(descriptor, AF_UNIX, Self.stream, 1)
            if result < 0 {
                throw SystemdFailure(operation: .listener(name: name), errno: -result)
            }
            guard result > 0 else {
                let isSocket = sd_is_socket(descriptor, AF_UNSPEC, 0, -1) > 0
                throw SystemdFailure(
                    operation: .listener(name: name), errno: isSocket ? EPROTOTYPE : ENOTSOCK)
            }
        }
        passed.removeAll { $0.name == name }
        return descriptors
    }

    /// Takes the listening `AF_UNIX` stream sockets of all names.
    ///
    /// - Returns: Descriptors, which the caller closes.
    package mutating func takeListeners() -> [CInt] {
        let descriptors = passed.map(\.descriptor).filter {
            sd_is_socket($0, AF_UNIX, Self.stream, 1) > 0
        }
        passed.removeAll { descriptors.contains($0.descriptor) }
        return descriptors
    }

    private static let stream = CInt(SOCK_STREAM.rawValue)

    deinit {
        // A descriptor that is no socket may be one that the process opened: the manager announced it, and did not pass it.
        for socket in passed where sd_is_socket(socket.descriptor, AF_UNSPEC, 0, -1) > 0 {
            close(socket.descriptor)
        }
    }
}
