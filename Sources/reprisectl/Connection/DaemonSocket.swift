import FoundationEssentials
import RepriseControl
import Varlink

/// Location of the daemon's socket.
enum DaemonSocket {
    /// Returns the path of the daemon's socket.
    ///
    /// - Parameter explicitPath: Path from the command line, or `nil` to search for the socket.
    /// - Throws: ``Failure`` that lists the default paths, if no path is found.
    static func path(named explicitPath: String?) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let location = SocketLocation { environment[$0] }
        guard let path = explicitPath ?? location.path else {
            throw Failure(
                "no daemon is running: there is no socket at "
                    + "\(location.defaultPaths.joined(separator: " or ")); "
                    + "\(remedy(for: "/run/reprise/control")), or specify its socket with "
                    + "--socket or $REPRISE_SOCKET.",
                status: .noDaemon)
        }
        return path
    }

    /// Returns a phrase that says what to do if no daemon is listening on a path.
    ///
    /// For a default path, the phrase contains the command that restarts the unit. A restart also recreates the socket
    /// if it was removed while the daemon was running.
    static func remedy(for path: String) -> String {
        let pathComponents = path.split(separator: "/").map(String.init)
        if pathComponents.first == "run", pathComponents.last == "control" {
            switch (pathComponents.count, pathComponents[pathComponents.count - 2]) {
            case (3, "reprise"): return "run 'systemctl restart reprised'"
            case (3, let directory) where directory.hasPrefix("reprise@"):
                return
                    "run 'systemctl restart \(directory.replacing("reprise@", with: "reprised@"))'"
            case (5, "reprise") where pathComponents[1] == "user":
                return "run 'systemctl --user restart reprised'"
            default: break
            }
        }
        return "start the daemon, or restart it if it runs and its socket was removed"
    }
}

extension Failure {
    /// Creates a failure for a call that received no reply.
    init(_ error: ClientError) {
        switch error {
        case .permissionDenied(let path):
            self.init(Self.notPermittedMessage(path), status: .notPermitted)
        case .timedOut:
            self.init("\(error.description) Use --timeout to wait longer.", status: .timedOut)
        case .badPathLength, .badParameters:
            self.init(error.description, status: .usage)
        case .noSuchSocket(let path):
            self.init(
                "there is no socket at \(path): \(DaemonSocket.remedy(for: path)).",
                status: .noDaemon)
        case .refused(let path):
            self.init(
                "no daemon is listening on \(path): \(DaemonSocket.remedy(for: path)).",
                status: .noDaemon)
        case .disconnected, .notReceived, .occupied, .badReply, .system:
            self.init(error.description, status: .noDaemon)
        }
    }
}
