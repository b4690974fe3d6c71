import Glibc

/// Connected Unix socket. Its methods block the calling thread until they finish or their deadline passes.
package struct ClientSocket: ~Copyable {
    /// Reason why bytes could not be sent or received.
    enum Failure: Error {
        /// The peer closed the connection.
        case endOfInput
        /// The peer closed the connection or stopped reading before it had read all sent bytes.
        case connectionLost
        case timedOut
        case system(SocketError)
    }

    /// Descriptor of the socket, which is closed when this value is destroyed.
    package let descriptor: CInt

    /// Creates a client socket that owns a connected descriptor.
    init(connected descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Connects to a service. If the service's connection queue is full, waits for space in the queue until the
    /// deadline.
    package init(path: String, deadline: ContinuousClock.Instant, timeout: Duration)
        throws(ClientError)
    {
        descriptor = try Self.openConnection(to: path, deadline, timeout: timeout)
    }

    deinit {
        close(descriptor)
    }

    /// Shuts down both directions of the connection, which wakes any thread that is waiting on the socket.
    func shutDown() { _ = Glibc.shutdown(descriptor, CInt(SHUT_RDWR)) }

    private static func openConnection(
        to path: String, _ deadline: ContinuousClock.Instant, timeout: Duration
    ) throws(ClientError) -> CInt {
        guard UnixAddress.isValidPath(path) else { throw .badPathLength(path: path) }
        let descriptor = socket(
            AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw .system(SocketError(call: "socket", errno: errno), path: path)
        }
        // unix(7): the send timeout also limits connect(2) while the queue is full.
        var remainingTime = timeval(until: deadline)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &remainingTime,
            socklen_t(MemoryLayout<timeval>.size))
        while UnixAddress.connectSocket(descriptor, to: path) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            switch code {
            case ENOENT, ENOTDIR: throw .noSuchSocket(path: path)
            case ECONNREFUSED: throw .refused(path: path)
            case EACCES, EPERM: throw .permissionDenied(path: path)
            case EAGAIN: throw .timedOut(path: path, timeout)
            default: throw .system(SocketError(call: "connect", errno: code), path: path)
            }
        }
        // Later writes have their own deadlines, so the send timeout is removed.
        remainingTime = Glibc.timeval()
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &remainingTime,
            socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// Whether the socket has bytes to read, or has reached the end of the stream.
    var isReadable: Bool {
        var pollDescriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let readyCount = poll(&pollDescriptor, 1, 0)
            if readyCount >= 0 || errno != EINTR { return readyCount > 0 }
        }
    }

    /// Sends all bytes.
    func send(_ bytes: [UInt8], deadline: ContinuousClock.Instant) throws(Failure) {
        var sentByteCount = 0
        while sentByteCount < bytes.count {
            let count = bytes[sentByteCount...].withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count,
                    CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            if count >= 0 {
                sentByteCount += count
            } else {
                try handleFailure("send", waitingFor: CInt(POLLOUT), deadline)
            }
        }
    }

    /// Waits until at least one byte is available, then receives the available bytes.
    ///
    /// - Parameter deadline: Time at which to stop waiting, or `nil` to wait without a limit.
    func receive(
        into frames: inout MessageFrames, deadline: ContinuousClock.Instant?
    ) throws(Failure) {
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
                let count = recv(
                    descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
                if count > 0 { frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return count
            }
            if count > 0 { return }
            if count == 0 { throw .endOfInput }
            try handleFailure("recv", waitingFor: CInt(POLLIN), deadline)
        }
    }

    /// Handles a failed system call. Returns if the caller should retry the call, and otherwise throws an error.
    private func handleFailure(
        _ systemCall: String, waitingFor events: CInt, _ deadline: ContinuousClock.Instant?
    ) throws(Failure) {
        switch errno {
        case EINTR: return
        case EPIPE, ECONNRESET: throw .connectionLost
        case EAGAIN: break
        default: throw .system(SocketError(call: systemCall, errno: errno))
        }
        var milliseconds: CInt = -1
        if let deadline {
            let remainingTime = ContinuousClock.now.duration(to: deadline)
            guard remainingTime > .zero else { throw .timedOut }
            milliseconds = CInt(min(remainingTime / .milliseconds(1), Double(CInt.max - 1))) + 1
        }
        var pollDescriptor = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        if poll(&pollDescriptor, 1, milliseconds) < 0, errno != EINTR {
            throw .system(SocketError(call: "poll", errno: errno))
        }
    }

    private static func timeval(until deadline: ContinuousClock.Instant) -> timeval {
        let remainingTime = max(ContinuousClock.now.duration(to: deadline), .milliseconds(1))
        let (seconds, attoseconds) = remainingTime.components
        return Glibc.timeval(
            tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
