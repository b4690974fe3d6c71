import Glibc
import RepriseControl
import SystemPackage
import Varlink

/// Remote host on which `ssh` runs `reprisectl relay`. The relay connects to the daemon's socket on that host.
final class RemoteHost {
    /// Name of the host, as an `ssh` destination.
    let name: String
    private let socket: String?
    private let timeout: Duration?
    private var sshProcess: ChildProcess?

    /// Creates a remote host without connecting to it.
    ///
    /// - Parameters:
    ///   - name: Name of the host, as an `ssh` destination.
    ///   - socket: Socket of the daemon on the host, or `nil` if the command line does not specify one.
    ///   - timeout: Timeout for the daemon, or `nil` if the command line does not specify one.
    init(name: String, socket: String?, timeout: Duration?) {
        self.name = name
        self.socket = socket
        self.timeout = timeout
    }

    /// Connects to the daemon on the host.
    ///
    /// - Parameter connectTimeout: Timeout for reaching the host, and then for each call.
    /// - Throws: ``Failure`` if `ssh` cannot be started.
    func connect(within connectTimeout: Duration) throws -> VarlinkClient {
        var socketPairEnds: [CInt] = [-1, -1]
        let socketType = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, socketType, 0, &socketPairEnds) == 0 else {
            throw Failure(
                "cannot create a socket pair: \(Errno(rawValue: errno)).", status: .noDaemon)
        }
        defer { close(socketPairEnds[1]) }
        let client = VarlinkClient(connected: socketPairEnds[0], to: name, timeout: connectTimeout)
        let seconds = max(1, Int(connectTimeout / .seconds(1)))
        var relayCommand = "reprisectl relay"
        // A shell on the other host parses the command again.
        if let socket { relayCommand += " --socket '\(socket.replacing("'", with: #"'\''"#))'" }
        // The relay has a shorter timeout, so that it can report the reason before this process gives up.
        if let timeout { relayCommand += " --timeout \(max(1, Int(timeout / .milliseconds(2))))ms" }
        sshProcess?.terminate()
        do {
            sshProcess = try ChildProcess(
                [
                    "ssh", "-T", "-x", "-o", "ConnectTimeout=\(seconds)", "-o",
                    "ServerAliveInterval=15", "--", name, relayCommand,
                ],
                input: socketPairEnds[1], output: socketPairEnds[1])
        } catch {
            throw Failure(
                "ssh cannot be started: \(error); install it (on Debian the package openssh-client).",
                status: .noDaemon)
        }
        return client
    }

    /// Terminates `ssh`, if it has been started.
    func disconnect() {
        sshProcess?.terminate()
        sshProcess = nil
    }

    /// Returns the failure for a call that received no reply, based on the exit status of `ssh`.
    func failure<Call: MethodCall>(_ error: ClientError, of call: Call.Type) -> Failure {
        guard let sshProcess else { return Failure(error) }
        self.sshProcess = nil
        switch error {
        case .disconnected, .notReceived: break
        default:
            sshProcess.terminate()
            return Failure(error)
        }
        return switch sshProcess.waitOrTerminate(within: .seconds(5)) {
        case 255 where Call.isReadOnly:
            Failure(
                "cannot connect to \(name) with ssh, which printed the reason; `ssh \(name) true` must work.",
                status: .noDaemon)
        case 255:
            Failure(
                unanswered: Call.method,
                because: "ssh could not connect to \(name), or lost the connection")
        case 127:
            Failure(
                "there is no reprisectl on \(name): install Reprise there; "
                    + "`ssh \(name) reprisectl --version` must work.", status: .noDaemon)
        case Failure.Status.refused.rawValue:
            Failure(
                "the relay on \(name) cannot use the daemon's socket and printed the reason: specify "
                    + "another socket with --socket.", status: .noDaemon)
        case Failure.Status.usage.rawValue:
            Failure(
                "the version of reprisectl on \(name) has no relay command: install this version there.",
                status: .noDaemon)
        case Failure.Status.noDaemon.rawValue:
            Failure("no daemon responds on \(name): start reprised there.", status: .noDaemon)
        case Failure.Status.notPermitted.rawValue:
            Failure(
                "this user has no permission to use the daemon on \(name): connect as root, or as a "
                    + "member of the group reprise.", status: .notPermitted)
        case Failure.Status.timedOut.rawValue:
            Failure(
                "the daemon on \(name) does not accept the connection: see its log. Use "
                    + "--timeout to wait longer.", status: .timedOut)
        default:
            Call.isReadOnly
                ? Failure(error)
                : Failure(
                    unanswered: Call.method,
                    because: "the connection to the daemon on \(name) was lost")
        }
    }
}
