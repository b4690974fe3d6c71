import ArgumentParser
import Glibc
import SystemPackage
import Varlink

/// Remote end of `--host`, which connects standard input and output to the daemon's socket.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Connects standard input and output to the daemon's socket. Used by --host.",
        shouldDisplay: false)

    @OptionGroup var daemon: DaemonCallOptions
    @OptionGroup(visibility: .private) private var application: ApplicationOption
    @OptionGroup(visibility: .private) private var scene: SceneOption

    func validate() throws {
        try rejectOptions(["--app": application.application != nil, "--scene": scene.scene != nil])
    }

    func run() throws {
        if daemon.host != nil {
            throw Failure(
                "relay runs on the remote host and does not accept --host.", status: .usage)
        }
        let connection = try openSocket()
        let daemonEnd = FileDescriptor(rawValue: connection.descriptor)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        let directions = [
            (from: FileDescriptor.standardInput, to: daemonEnd),
            (from: daemonEnd, to: FileDescriptor.standardOutput),
        ]
        var pollDescriptors = directions.map {
            pollfd(fd: $0.from.rawValue, events: Int16(POLLIN), revents: 0)
        }
        while true {
            if poll(&pollDescriptors, nfds_t(pollDescriptors.count), -1) < 0 {
                if errno == EINTR { continue }
                return
            }
            for (pollDescriptor, direction) in zip(pollDescriptors, directions)
            where pollDescriptor.revents != 0 {
                do {
                    let count = try direction.from.read(into: buffer)
                    if count == 0 { return }
                    try direction.to.writeAll(buffer[..<count])
                } catch {
                    return  // One end has closed, so there is nothing left to relay.
                }
            }
        }
    }

    /// Connects to the daemon. If the daemon is starting, waits for it.
    private func openSocket() throws -> ClientSocket {
        let path = try DaemonSocket.path(named: daemon.socket)
        let startTimeout = daemon.timeout ?? DaemonConnection.defaultTimeouts.start
        let deadline = ContinuousClock.now + startTimeout
        while true {
            do {
                return try ClientSocket(path: path, deadline: deadline, timeout: startTimeout)
            } catch {
                guard error.isTransient, ContinuousClock.now < deadline else {
                    // The status `usage` would mean that this version of reprisectl does not support `relay`.
                    if case .badPathLength = error { throw Failure("\(error)", status: .refused) }
                    throw Failure(error)
                }
                usleep(DaemonConnection.retryDelayMicroseconds)
            }
        }
    }
}
